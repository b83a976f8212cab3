// SPDX-License-Identifier: Apache-2.0

/// A file in the account.
package struct EmulatedFile: Sendable, Equatable {
    var path: DropboxPath
    package var id: String
    package var rev: String
    package var size: Int64
    package var contentHash: String
    var clientModified: String
    /// Seconds since 1970.
    var serverModified: Double
    var content: [StoredExtent]

    package var displayPath: String { path.display }

    /// FileMetadata.
    ///
    /// - Parameter withHash: whether to include the content_hash, which is optional in the schema.
    /// - Returns: a struct, without a tag.
    func metadata(withHash: Bool) -> EmulatorJSON {
        var fields: [String: EmulatorJSON] = [
            "name": .string(path.name), "id": .string(id), "client_modified": .string(clientModified),
            "server_modified": .string(UTCTime.text(serverModified)), "rev": .string(rev), "size": .integer(size),
            "path_lower": .string(path.key), "path_display": .string(path.display), "is_downloadable": true,
        ]
        if withHash { fields["content_hash"] = .string(contentHash) }
        return .object(fields)
    }
}
