// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
package import OffstageRuntime

/// The program of a peer while its app is being identified, from files of any origin.
package enum PeerProgram {
    /// Looks at a process, unless the daemon has crashed too often over its program.
    ///
    /// - Returns: nil for such a program, and if `body` returns nil.
    package static func looking<Facts>(at process: Int32, _ crashes: CrashMemory, _ body: () -> Facts?) -> Facts? {
        guard let path = path(of: process) else { return body() }
        // By its path, because its app is not known yet.
        let suspect = CrashSuspect.app(path)
        if case .setAside = crashes.standing(of: suspect) { return nil }
        let facts = Doing.named(.app, .attaching, path) {
            Doing.faultPoint("trap-in-attach", String(path.pathParts.last ?? ""))
            return body()
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
