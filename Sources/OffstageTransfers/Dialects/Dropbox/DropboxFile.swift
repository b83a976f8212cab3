// SPDX-License-Identifier: Apache-2.0

/// The part of Dropbox's FileMetadata that is needed.
struct DropboxFile: Sendable, Hashable {
    /// Bytes.
    var size: Int64
    /// Nil if Dropbox does not send it.
    var contentHash: String?
    var revision: String?

    init(size: Int64, contentHash: String? = nil, revision: String? = nil) {
        self.size = size
        self.contentHash = contentHash
        self.revision = revision
    }

    /// Reads the metadata; nil if it is not a file's.
    init?(_ json: DropboxJSON) {
        guard json.isObject, json[".tag"] == .null || json.tag == "file", let size = json["size"].integer else {
            return nil
        }
        let hash = json["content_hash"]
        // A hash that is not a string does not count as absent: it is compared, and does not match.
        self.init(size: size, contentHash: hash == .null ? nil : hash.string ?? "", revision: json["rev"].string)
    }
}
