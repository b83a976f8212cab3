// SPDX-License-Identifier: Apache-2.0

/// A call to S3's REST API, as needed for uploads.
enum S3Call: Sendable, Equatable {
    /// PutObject: the whole file.
    case put
    /// CreateMultipartUpload.
    case create
    /// ListParts: the parts after a number.
    case list(after: Int)
    /// UploadPart: the first is 1.
    case part(Int)
    /// CompleteMultipartUpload.
    case complete
    /// AbortMultipartUpload, for a useless upload.
    case abort(String)
    /// HeadObject, to see which upload made the existing object.
    case head
}
