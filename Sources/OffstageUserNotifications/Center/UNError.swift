// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// The domain of notification errors.
public let UNErrorDomain = "UNErrorDomain"

/// Why a request was not accepted; `localizedDescription` is one sentence that explains what to do.
///
/// <https://developer.apple.com/documentation/usernotifications/unerror>
public struct UNError: CustomNSError, Hashable {
    /// The kind of error.
    public enum Code: Int, Sendable {
        /// A setting denies notifications, authorization was not requested, or there is no daemon to ask.
        case notificationsNotAllowed = 1
        /// An attachment is not an existing file.
        case attachmentInvalidURL = 100
        /// Not used here: an attachment is neither read nor moved.
        case attachmentUnrecognizedType = 101
        /// Not used here: an attachment is neither read nor moved.
        case attachmentInvalidFileSize = 102
        /// Not used here: an attachment is neither read nor moved.
        case attachmentNotInDataStore = 103
        /// Not used here: an attachment is neither read nor moved.
        case attachmentMoveIntoDataStoreFailed = 104
        /// Not used here: an attachment is neither read nor moved.
        case attachmentCorrupt = 105
        /// The notification's time will never come.
        case notificationInvalidNoDate = 1400
        /// The content cannot be stored.
        case notificationInvalidNoContent = 1401
        /// Not used here.
        case contentProvidingObjectNotAllowed = 1500

        /// Whether an error has this code.
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
    /// The message, under `NSLocalizedDescriptionKey`.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: sentence] }
    /// One sentence that explains what to do.
    public var localizedDescription: String { sentence }
}
