// SPDX-License-Identifier: Apache-2.0

/// A call of S3's REST interface, as far as uploads need it.
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
    /// AbortMultipartUpload: this one is of no use any more.
    case abort(String)
    /// HeadObject: whose the object is that is there.
    case head
}
