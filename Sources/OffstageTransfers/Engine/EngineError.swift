// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Why the engine cannot be started.
package enum EngineError: Error, Sendable, Equatable {
    /// The errno of the failed call.
    case noDescriptor(Int32)
    case noThread(Int32)

    /// What happened, as the middle of a sentence.
    package var detail: String {
        switch self {
        case .noDescriptor(let code):
            "the system has no file descriptor for the transfer engine (\(String(cString: strerror(code))))"
        case .noThread(let code):
            "the system has no thread for the transfer engine (\(String(cString: strerror(code))))"
        }
    }
}
