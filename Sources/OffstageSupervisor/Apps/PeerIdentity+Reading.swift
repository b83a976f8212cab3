// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
package import OffstageCore
import OffstageFiles

extension PeerIdentity {
    /// Reads the identity. Blocking, so call it on a worker.
    ///
    /// - Parameters:
    ///   - process: the peer's number, from its credentials.
    ///   - pidfd: the peer itself, or -1 if the kernel provides none; closed here.
    /// - Returns: nil if the process has ended, or hides its program.
    package static func read(process: Int32, pidfd: Int32) -> PeerIdentity? {
        defer { if pidfd >= 0 { close(pidfd) } }
        guard process > 0, let identity = Lack.waitedOut({ ProcessStatus.read(process)?.identity }),
            let link = ProcessFacts.executableLink(of: process)
        else { return nil }
        // As long as the process runs, its number cannot belong to another, so the facts are about this process.
        let isStillThere =
            pidfd >= 0
            ? offstage_pidfd_is_alive(pidfd) == 1
            : Lack.waitedOut { ProcessStatus.read(process)?.identity } == identity
        guard isStillThere else { return nil }
        return PeerIdentity(app: BundleFacts.id(of: AppIdentity(link: link)), process: identity)
    }

    /// Whether a process has ended. Blocking, so call it on a worker.
    package static func hasEnded(_ process: ProcessIdentity) -> Bool {
        guard let status = ProcessStatus.read(process.number), status.identity == process else { return true }
        return status.hasEnded
    }
}
