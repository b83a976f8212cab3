// SPDX-License-Identifier: Apache-2.0
public import Foundation
import FoundationNetworking
import OffstageCore

/// A file that was uploaded to an account, as the service says that it has it.
public struct UploadedFile: Sendable, Hashable {
    /// Its name, which with `autorename` may be another than was asked for.
    public let name: String
    /// Where it is, as people see it; nil when the account does not see the folder.
    public let path: String?
    /// The service's own name for the file, which stays when it is moved.
    public let identifier: String
    /// Which version this is, for `Uploader.Mode.update(revision:)`.
    public let revision: String
    /// Bytes.
    public let size: Int64
    /// Dropbox's `content_hash`, which the daemon has compared with the file's; nil when Dropbox did not say it.
    public let contentHash: String?

    /// Reads Dropbox's FileMetadata: the body of the response to an upload (`urlSession(_:dataTask:didReceive:)`,
    /// `BackgroundSessionEvent.Completion.body`).
    ///
    /// - Throws: `URLError.cannotParseResponse` for anything else.
    public init(reply: Data) throws {
        guard let metadata = try? ForeignJSON.decode(Metadata.self, from: reply) else {
            throw URLError(
                .cannotParseResponse,
                userInfo: [NSLocalizedDescriptionKey: "What Dropbox answered is not the description of a file."]
            )
        }
        name = metadata.name
        path = metadata.path
        identifier = metadata.id
        revision = metadata.rev
        size = metadata.size
        contentHash = metadata.contentHash
    }

    /// What a task's completion handler is given.
    init(reply: Data?, error: (any Error)?) throws {
        if let error { throw error }
        try self.init(reply: reply ?? Data())
    }

    /// As Dropbox spells it.
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
