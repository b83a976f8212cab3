// SPDX-License-Identifier: Apache-2.0

/// What happens to an existing file at the destination. Its JSON is Dropbox's own.
package enum DropboxWriteMode: Sendable, Hashable, Codable {
    /// Another file is a conflict.
    case add
    /// The existing file gets new content.
    case overwrite
    /// The existing file gets new content if it still has this revision; otherwise it is a conflict.
    case update(revision: String)

    private enum CodingKeys: String, CodingKey {
        case tag = ".tag"
        case update
    }

    package init(from decoder: any Decoder) throws {
        let tag: String
        if let word = try? decoder.singleValueContainer().decode(String.self) {
            tag = word
        } else {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            tag = try container.decode(String.self, forKey: .tag)
            if tag == "update" {
                self = .update(revision: try container.decode(String.self, forKey: .update))
                return
            }
        }
        switch tag {
        case "add": self = .add
        case "overwrite": self = .overwrite
        default:
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "not a way to write")
            )
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .add, .overwrite:
            var container = encoder.singleValueContainer()
            try container.encode(self == .add ? "add" : "overwrite")
        case .update(let revision):
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode("update", forKey: .tag)
            try container.encode(revision, forKey: .update)
        }
    }

    /// Whether a text is a Dropbox revision: at least nine lower-case hexadecimal digits.
    package static func isRevision(_ text: String) -> Bool {
        text.utf8.count >= 9
            && text.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }
}
