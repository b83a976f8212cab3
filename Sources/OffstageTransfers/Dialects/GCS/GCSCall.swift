// SPDX-License-Identifier: Apache-2.0

/// A call to Google Cloud Storage's JSON API, as needed for uploads.
enum GCSCall: Sendable, Equatable {
    /// Begins a resumable upload.
    case begin
    /// Asks how much has arrived; for an empty file, also ends the upload.
    case ask
    /// Bytes of the file.
    case append(Range<Int64>)
    /// Requests the existing object, to see which upload made it.
    case look
    /// Removes one generation of the object that is not the file.
    case remove(Int64)

    /// Whether the call goes to the upload's own URL, which authorizes it.
    var isOfSession: Bool {
        switch self {
        case .ask, .append: true
        case .begin, .look, .remove: false
        }
    }
}
