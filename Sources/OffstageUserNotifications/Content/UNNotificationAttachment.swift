// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// A file that belongs to a notification. It is neither moved nor shown.
///
/// <https://developer.apple.com/documentation/usernotifications/unnotificationattachment>
open class UNNotificationAttachment: NSObject, @unchecked Sendable {
    /// The app's identifier for the attachment.
    public let identifier: String
    /// The location of the file.
    public let url: URL

    /// Creates an attachment for a file.
    ///
    /// - Throws: `UNError.attachmentInvalidURL` if the file does not exist.
    public init(identifier: String, url: URL, options: [AnyHashable: Any]? = nil) throws {
        guard url.isFileURL, FileManager.default.fileExists(atPath: url.path) else {
            throw UNError(.attachmentInvalidURL, "The attachment \(url.lastPathComponent) is not an existing file.")
        }
        self.identifier = identifier.isEmpty ? UUID().uuidString : identifier
        self.url = url
    }
}
