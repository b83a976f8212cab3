// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Why something was not sealed or opened, or why a key cannot be used.
package enum SealError: Error, Sendable, Hashable {
    /// The key file is unusable. The detail is a clause.
    case keyFile(path: String, detail: String)
    /// The seal is for another key or another fleet, or its contents were changed.
    case notOpened
    /// The key has sealed as many messages as it may.
    case exhausted
    case libraryFailed

    /// One sentence that says what happened and what to do.
    package var sentence: String {
        switch self {
        case .keyFile(let path, let detail):
            "The fleet's key file \(path.redactedControls) cannot be used: \(detail)."
        case .notOpened:
            "What is sealed does not open with this member's fleet key: it is of another key, or was changed."
        case .exhausted: "Too much was sealed at once: seal the rest again."
        case .libraryFailed: "libcrypto failed: see 'offstage doctor'."
        }
    }
}
