// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport
import Testing

/// A user with a very low limit of threads: the limit does not apply to privileged users, so root switches to another
/// user.
@Suite(.enabled(if: Privileges.canChangeUser, "needs root, to be a user with a limit"))
struct `A daemon without threads` {
    @Test(arguments: 1...5)
    func `says that it cannot start, and traps nowhere`(most: Int) throws {
        let user: UInt32 = 4_100_000 + UInt32(most)
        let change = ["/usr/bin/setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups"]
        let daemon = try DaemonFixture(prefix: change + ["/usr/bin/prlimit", "--nproc=\(most):\(most)"])
        for path in [daemon.directory.path, daemon.home, daemon.files, daemon.home + "/settings.json"] {
            chown(path, user, user)
        }
        let result = try daemon.startDaemon().result(within: 20)
        guard case .exited(let code) = result.status else {
            Issue.record("It ended by a signal: \(result)")
            return
        }
        #expect(code != 0)
        #expect(!result.errors.isEmpty)
    }
}
