// SPDX-License-Identifier: Apache-2.0

/// The part of a session's upload that a server keeps, with everything that another task needs to continue it. Its JSON
/// is the argument of `uploadTask(withResumeData:)`.
///
/// A task for a file that has changed, or whose server has forgotten the upload, begins at byte 0.
package struct UploadResumeData: Sendable, Equatable, Codable {
    /// The file on this machine.
    package var path: String
    package var url: RequestURL
    package var method: String
    package var headers: [HeaderField]
    /// `TransferSpec.keptUpload`.
    package var kept: Base64Bytes

    init(of spec: TransferSpec, path: String, memory: [UInt8]) {
        self.path = path
        url = spec.url
        method = spec.method
        headers = spec.headers
        kept = Base64Bytes(bytes: memory)
    }
}
