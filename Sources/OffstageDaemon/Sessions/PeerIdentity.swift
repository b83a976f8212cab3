// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageCore
import OffstageSupervisor
import OffstageTransfers

/// Which app's which process is at the other end of a socket: what the kernel says of it, not what it says itself.
struct PeerIdentity: Sendable, Equatable {
    var app: String
    var process: ProcessIdentity

    /// Reads it. Blocking: called on a worker.
    ///
    /// - Parameters:
    ///   - process: the peer's number, from its credentials.
    ///   - pidfd: the peer itself, where the kernel gives one out, else -1; closed here.
    /// - Returns: nil when the process has gone, or hides what it runs.
    static func read(process: pid_t, pidfd: Int32) -> PeerIdentity? {
        defer { if pidfd >= 0 { close(pidfd) } }
        guard process > 0, let identity = Lack.waitedOut({ ProcessStatus.read(process)?.identity }),
            let link = ProcessFacts.executableLink(of: process)
        else { return nil }
        // While the process itself still runs, its number cannot have become another's: what was read is its own.
        let isStillThere =
            pidfd >= 0
            ? offstage_pidfd_is_alive(pidfd) == 1
            : Lack.waitedOut { ProcessStatus.read(process)?.identity } == identity
        guard isStillThere else { return nil }
        return PeerIdentity(app: BundleFacts.id(of: AppIdentity(link: link)), process: identity)
    }

    /// Whether a process is no more. Blocking: called on a worker.
    static func hasEnded(_ process: ProcessIdentity) -> Bool {
        guard let status = ProcessStatus.read(process.number), status.identity == process else { return true }
        return status.hasEnded
    }
}
