// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageCore
package import OffstageRuntime

/// The program of a peer while its app is being identified, from files of any origin.
package enum PeerProgram {
    /// Inspects a process, unless its program has crashed the daemon too often.
    ///
    /// - Parameters:
    ///   - process: the peer's number.
    ///   - peer: its pidfd, which is closed if `body` is not called.
    ///   - crashes: the recorded crashes.
    ///   - body: closes the pidfd that it receives, unless it is -1.
    /// - Returns: nil for such a program, and if `body` returns nil.
    package static func looking<Facts>(
        at process: Int32,
        _ peer: PeerPidfd,
        _ crashes: CrashMemory,
        _ body: (_ pidfd: Int32) -> Facts?
    ) -> Facts? {
        guard let path = path(of: process) else { return body(peer.take()) }
        // By its path, because its app is unknown at this point.
        let suspect = CrashSuspect.app(path)
        if case .setAside = crashes.standing(of: suspect) { return nil }
        let facts = Doing.named(.app, .attaching, path) {
            Doing.faultPoint("trap-in-attach", String(path.pathParts.last ?? ""))
            return body(peer.take())
        }
        crashes.survived(suspect, .attaching)
        return facts
    }

    /// The path; if it is long, only its end, because the name of a suspect is short.
    private static func path(of process: Int32) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/\(process)/exe", &buffer, buffer.count)
        guard count > 0 else { return nil }
        return String(decoding: buffer[..<count].suffix(80).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

extension PeerReader {
    /// A reader that uses this machine's kernel.
    ///
    /// - Parameter crashes: programs that have crashed the daemon too often are not examined.
    /// - Returns: the reader.
    package static func kernel(_ crashes: CrashMemory) -> PeerReader {
        PeerReader(
            identify: { process, pidfd in
                PeerProgram.looking(at: process, PeerPidfd(pidfd), crashes) { pidfd in
                    PeerIdentity.read(process: process, pidfd: pidfd)
                }
            },
            hasEnded: { PeerIdentity.hasEnded($0) }
        )
    }
}
