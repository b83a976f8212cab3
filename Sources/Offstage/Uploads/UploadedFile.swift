// SPDX-License-Identifier: Apache-2.0
public import Foundation
import FoundationNetworking
import OffstageCore

/// A file that was uploaded to an account or to a bucket, as the service reports it.
public struct UploadedFile: Sendable, Hashable {
    /// The file's name, which with `autorename` may differ from the requested one.
    public let name: String
    /// The path, as people see it; nil if the account cannot see the folder. In a bucket, `s3://bucket/key` or
    /// `gs://bucket/object`.
    public let path: String?
    /// The service's identifier for the file, which does not change when the file is moved; in a bucket, the key.
    public let identifier: String
    /// The file's version, for `Uploader.Mode.update(revision:)`. With S3, the version's ID in a bucket with versions,
    /// otherwise the ETag; with Google, the generation.
    public let revision: String
    /// The size in bytes.
    public let size: Int64
    /// Dropbox's `content_hash`, which the daemon has compared with the file's; nil if Dropbox did not report it.
    public let contentHash: String?

    /// Reads Dropbox's FileMetadata: the body of the response to an upload (`urlSession(_:dataTask:didReceive:)`,
    /// `BackgroundSessionEvent.Completion.body`).
    ///
    /// - Throws: `URLError.cannotParseResponse` if the reply is anything else.
    public init(reply: Data) throws {
        guard let metadata = try? ForeignJSON.decode(Metadata.self, from: reply) else {
            throw URLError(
                .cannotParseResponse,
                userInfo: [NSLocalizedDescriptionKey: "Dropbox's answer is not the description of a file."]
            )
        }
        name = metadata.name
        path = metadata.path
        identifier = metadata.id
        revision = metadata.rev
        size = metadata.size
        contentHash = metadata.contentHash
    }

    /// Reads the arguments of a task's completion handler.
    init(reply: Data?, error: (any Error)?) throws {
        if let error { throw error }
        try self.init(reply: reply ?? Data())
    }

    /// Describes an object that S3 has confirmed.
    ///
    /// - Throws: `URLError.cannotParseResponse` if the response does not state the version.
    init(_ location: S3Location, of fileURL: URL, _ response: HTTPURLResponse?) throws {
        let version = response?.value(forHTTPHeaderField: "x-amz-version-id")
        guard let revision = version ?? response?.value(forHTTPHeaderField: "ETag") else {
            throw URLError(
                .cannotParseResponse,
                userInfo: [NSLocalizedDescriptionKey: "The server's answer does not name the object's version."]
            )
        }
        name = location.key.pathParts.last.map { "\($0)" } ?? location.key
        path = location.text
        identifier = location.key
        self.revision = revision.filter { $0 != "\"" }
        size = (try? FileManager.default.attributesOfItem(atPath: fileURL.path)[.size] as? Int64) ?? 0
        contentHash = nil
    }

    /// Describes an object from Google Cloud Storage's reply.
    ///
    /// - Throws: `URLError.cannotParseResponse` if the reply does not state the generation.
    init(_ location: GCSLocation, reply: Data) throws {
        guard let object = try? ForeignJSON.decode(Resource.self, from: reply),
            let size = Int64(digits: object.size)
        else {
            throw URLError(
                .cannotParseResponse,
                userInfo: [NSLocalizedDescriptionKey: "The server's answer does not name the object's generation."]
            )
        }
        name = location.object.pathParts.last.map { "\($0)" } ?? location.object
        path = location.text
        identifier = location.object
        revision = object.generation
        self.size = size
        contentHash = nil
    }

    /// Google's description of an object.
    private struct Resource: Decodable {
        var generation: String
        var size: String
    }

    /// Dropbox's FileMetadata.
    private struct Metadata: Decodable {
        var name: String
        var id: String
        var rev: String
        var size: Int64
        var path: String?
        var contentHash: String?

        private enum CodingKeys: String, CodingKey {
            case name, id, rev, size
            case path = "path_display"
            case contentHash = "content_hash"
        }
    }
}
