// SPDX-License-Identifier: Apache-2.0

/// The data that another task of a session needs to continue one that has ended. In JSON it is the data itself.
package enum SessionTaskResumeData: Sendable, Equatable, Codable {
    case download(ResumeData)
    case upload(UploadResumeData)

    /// The data of a download; nil for an upload.
    package var ofDownload: ResumeData? { if case .download(let data) = self { data } else { nil } }

    private enum CodingKeys: String, CodingKey { case kept }

    package init(from decoder: any Decoder) throws {
        let isOfUpload = try decoder.container(keyedBy: CodingKeys.self).contains(.kept)
        self = isOfUpload ? .upload(try UploadResumeData(from: decoder)) : .download(try ResumeData(from: decoder))
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .download(let data): try data.encode(to: encoder)
        case .upload(let data): try data.encode(to: encoder)
        }
    }
}
