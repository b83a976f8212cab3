// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The events of all launches. A line is one write(2): it is complete once `note` has returned, even if the program is
/// killed in the next instruction.
final class AppLog: Sendable {
    let earlierLines: [Substring]
    private let descriptor: Int32

    init(at path: String) throws {
        earlierLines = ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n")
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    func note(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        guard write(descriptor, bytes, bytes.count) == bytes.count else {
            fatalError("The log cannot be written.")
        }
    }
}
