// SPDX-License-Identifier: Apache-2.0

/// The result of a finished command.
package struct CommandResult: Sendable, CustomStringConvertible {
    package var status: ExitStatus
    package var output: String
    package var errors: String

    package var isSuccess: Bool { status == .exited(0) }

    /// The exit code; 128 plus the signal's number, as in a shell, if a signal ended the command.
    package var code: Int32 {
        switch status {
        case .exited(let code): code
        case .signalled(let signal): 128 + signal
        }
    }

    /// The lines of standard output.
    package var lines: [String] { output.split(separator: "\n").map(String.init) }

    package var description: String { "\(status)\n--- output\n\(output)\n--- errors\n\(errors)" }
}
