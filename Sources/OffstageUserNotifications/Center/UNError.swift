// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// The domain of the errors of notifications.
public let UNErrorDomain = "UNErrorDomain"

/// Why a notification was not taken; `localizedDescription` is one sentence that says what to do.
///
/// <https://developer.apple.com/documentation/usernotifications/unerror>
public struct UNError: CustomNSError, Hashable {
    /// The kind of error.
    public enum Code: Int, Sendable {
        /// A person's setting, or a request for authorization that was not made.
        case notificationsNotAllowed = 1
        case attachmentInvalidURL = 100
        case attachmentUnrecognizedType = 101
        case attachmentInvalidFileSize = 102
        case attachmentNotInDataStore = 103
        case attachmentMoveIntoDataStoreFailed = 104
        case attachmentCorrupt = 105
        /// The time of a notification will never come.
        case notificationInvalidNoDate = 1400
        /// A content that cannot be kept.
        case notificationInvalidNoContent = 1401
        /// No daemon can be asked.
        case contentProvidingObjectNotAllowed = 1500

        /// Whether an error is of this code.
        public static func ~= (code: Code, error: any Error) -> Bool { (error as? UNError)?.code == code }
    }

    /// `UNErrorDomain`.
    public static var errorDomain: String { UNErrorDomain }
    /// The kind of error.
    public let code: Code
    private let sentence: String

    init(_ code: Code, _ sentence: String) {
        self.code = code
        self.sentence = sentence
    }

    /// The code's number.
    public var errorCode: Int { code.rawValue }
    /// With the sentence.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: sentence] }
    /// One sentence that says what to do.
    public var localizedDescription: String { sentence }
}
