// SPDX-License-Identifier: Apache-2.0
public import Foundation
import FoundationNetworking
import OffstageCore

/// A file that was uploaded to an account, as the service reports it.
public struct UploadedFile: Sendable, Hashable {
    /// The file's name, which with `autorename` may differ from the requested one.
    public let name: String
    /// The path, as people see it; nil if the account does not see the folder.
    public let path: String?
    /// The service's identifier for the file, which does not change when the file is moved.
    public let identifier: String
    /// The file's version, for `Uploader.Mode.update(revision:)`.
    public let revision: String
    /// The size in bytes.
    public let size: Int64
    /// Dropbox's `content_hash`, which the daemon has compared with the file's; nil if Dropbox did not report it.
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

    /// Reads the arguments of a task's completion handler.
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
