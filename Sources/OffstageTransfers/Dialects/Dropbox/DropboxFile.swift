// SPDX-License-Identifier: Apache-2.0

/// What Dropbox says of a file: FileMetadata, as far as it is needed.
struct DropboxFile: Sendable, Hashable {
    /// Bytes.
    var size: Int64
    /// Nil where Dropbox does not say it.
    var contentHash: String?
    var revision: String?

    init(size: Int64, contentHash: String? = nil, revision: String? = nil) {
        self.size = size
        self.contentHash = contentHash
        self.revision = revision
    }

    /// Nil for what is no file.
    init?(_ json: DropboxJSON) {
        guard json.isObject, json[".tag"] == .null || json.tag == "file", let size = json["size"].integer else {
            return nil
        }
        let hash = json["content_hash"]
        // A hash that is no text is not one that Dropbox does not say: it is compared, and is another.
        self.init(size: size, contentHash: hash == .null ? nil : hash.string ?? "", revision: json["rev"].string)
    }
}
