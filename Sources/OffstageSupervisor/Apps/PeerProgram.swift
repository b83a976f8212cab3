// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageCore
package import OffstageRuntime

/// The program of a peer while its app is being identified, from files of any origin.
package enum PeerProgram {
    /// Looks at a process, unless the daemon has crashed too often over its program.
    ///
    /// - Parameters:
    ///   - process: the peer's number.
    ///   - peer: its pidfd, which is closed if `body` is not called.
    ///   - crashes: of which programs.
    ///   - body: closes the pidfd that it is given, unless that is -1.
    /// - Returns: nil for such a program, and if `body` returns nil.
    package static func looking<Facts>(
        at process: Int32,
        _ peer: PeerPidfd,
        _ crashes: CrashMemory,
        _ body: (_ pidfd: Int32) -> Facts?
    ) -> Facts? {
        guard let path = path(of: process) else { return body(peer.take()) }
        // By its path, because its app is not known yet.
        let suspect = CrashSuspect.app(path)
        if case .setAside = crashes.standing(of: suspect) { return nil }
        let facts = Doing.named(.app, .attaching, path) {
            Doing.faultPoint("trap-in-attach", String(path.pathParts.last ?? ""))
            return body(peer.take())
        }
        crashes.survived(suspect, .attaching)
        return facts
    }

    /// Only its end if it is long, because the name of a suspect is short.
    private static func path(of process: Int32) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/\(process)/exe", &buffer, buffer.count)
        guard count > 0 else { return nil }
        return String(decoding: buffer[..<count].suffix(80).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

extension PeerReader {
    /// Asks the kernel of this machine.
    ///
    /// - Parameter crashes: programs that the daemon has crashed over too often are not looked at.
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
