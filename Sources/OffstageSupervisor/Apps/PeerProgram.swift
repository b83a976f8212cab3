// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
package import OffstageRuntime

/// The program at the other end of a connection while it is found out which app it is: its files come from anywhere.
package enum PeerProgram {
    /// Looks at a process, unless the daemon has crashed too often over its program.
    ///
    /// - Returns: nil for such a program, and where `body` says so.
    package static func looking<Facts>(at process: Int32, _ crashes: CrashLedger, _ body: () -> Facts?) -> Facts? {
        guard let path = path(of: process) else { return body() }
        // By its path: which app it is nobody knows yet.
        let suspect = CrashSuspect.app(path)
        if case .setAside = crashes.standing(of: suspect) { return nil }
        let facts = Doing.named(.app, .attaching, path) {
            Doing.faultPoint("trap-in-attach", String(path.pathParts.last ?? ""))
            return body()
        }
        crashes.survived(suspect, .attaching)
        return facts
    }

    /// Its end, where it is long: what names a suspect is short.
    private static func path(of process: Int32) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/\(process)/exe", &buffer, buffer.count)
        guard count > 0 else { return nil }
        return String(decoding: buffer[..<count].suffix(80).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
