// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// The owner's choices for an upload to Dropbox: which account, which path, and what happens to an existing file.
///
/// The submitter makes the transfer's URL (`url`) and dialect (`dialectSpec`) from them.
package struct DropboxParameters: Sendable, Hashable {
    /// The name of the dialect that reads them.
    package static let dialect = "dropbox"
    package static let purpose = "Dropbox"

    /// The account's name, as given by a person.
    package var account: String
    /// The account's user at Dropbox when the upload was handed over: filled in by the daemon. Nil if unknown.
    package var accountID: String?
    /// `/…`, `id:…` or `ns:…`.
    package var path: String
    package var mode: DropboxWriteMode = .add
    /// Whether Dropbox chooses another name in case of a conflict.
    package var autorename = false
    /// Whether people's Dropbox apps do not announce the file.
    package var mute = false
    /// Whether a file with the same content also counts as a conflict.
    package var strictConflict = false
    /// The modification time that Dropbox shows; to the second.
    package var clientModified: Date?
    /// The most bytes of the file in one request, a multiple of 4 MiB; nil for the best number.
    package var largestChunk: Int64?
    /// The number of chunks sent at once; nil for the best number.
    package var connections: Int?
    /// The base URL of routes that carry only JSON, without a slash at the end.
    package var api: String
    /// The base URL of routes that carry the file's bytes.
    package var content: String

    package init(account: String, path: String, endpoints: DropboxEndpoints = .dropbox) {
        self.account = account
        self.path = path
        api = endpoints.api
        content = endpoints.content
    }

    /// Bytes of the longest path that is accepted: it goes into a header.
    private static let longestPath = 4096

    /// Refuses values that Dropbox could only refuse later, and places to which a token must not be sent.
    package func validate() throws(RequestError) {
        try Account.validate(name: account)
        let shown = path.redactedControls
        guard ["/", "id:", "ns:"].contains(where: path.hasPrefix), !path.utf8.contains(0) else {
            throw .invalidValue("'\(shown)' is not a path in Dropbox: write it as /folder/file")
        }
        guard !path.hasSuffix("/"), path != "id:", path != "ns:" else {
            throw .invalidValue("'\(shown)' names a folder in Dropbox: add the file's name to it")
        }
        guard path.utf8.count <= Self.longestPath else {
            throw .invalidValue("The path in Dropbox has more than \(Self.longestPath) bytes: choose a shorter one")
        }
        if case .update(let revision) = mode, !DropboxWriteMode.isRevision(revision) {
            throw .invalidValue(
                "'\(revision.redactedControls)' is not a revision of a file: take the 'rev' that Dropbox gives for it"
            )
        }
        if let clientModified {
            guard (0...Self.latestChange).contains(clientModified.timeIntervalSince1970) else {
                throw .invalidValue("The time of the file's last change must be between the years 1970 and 9999")
            }
        }
        if let largestChunk, largestChunk <= 0 || largestChunk % Self.blockSize != 0 {
            throw .invalidValue("The largest chunk must be a multiple of \(Self.blockSize) bytes")
        }
        if let connections, !Self.connectionCounts.contains(connections) {
            throw .invalidValue("1 to \(Self.connectionCounts.upperBound) chunks are sent at once, not \(connections)")
        }
        for base in [api, content] { try DropboxEndpoints.check(base) }
    }

    /// How many chunks may be sent at once.
    package static let connectionCounts = 1...16

    /// Bytes of the blocks that Dropbox hashes.
    package static let blockSize: Int64 = 4 << 20
    /// Seconds since 1970: the end of the year 9999.
    private static let latestChange = 253_402_300_799.0

    /// `clientModified` in Dropbox's format.
    package var clientModifiedText: String? {
        clientModified.map { Date(timeIntervalSince1970: $0.timeIntervalSince1970.rounded(.down)).formatted(.iso8601) }
    }

    /// The same upload at its account's endpoints, unless the owner has named endpoints other than Dropbox's own.
    package func at(_ endpoints: DropboxEndpoints?) -> DropboxParameters {
        let usual = DropboxEndpoints.dropbox
        guard let endpoints, api == usual.api, content == usual.content else { return self }
        var result = self
        result.api = endpoints.api
        result.content = endpoints.content
        return result
    }

    // MARK: - For the transfer's specification

    /// Where the file goes, for people.
    package var destination: String { "\(account):\(path)".redactedControls }

    /// How the file is written, for people.
    package var options: String {
        var words =
            switch mode {
            case .add: ["add"]
            case .overwrite: ["overwrite"]
            case .update(let revision): ["update of \(revision.redactedControls)"]
            }
        if autorename { words.append("autorename") }
        if strictConflict { words.append("strict conflict") }
        if mute { words.append("mute") }
        return words.joined(separator: ", ")
    }

    /// `TransferSpec.url`: the host whose limits the transfer counts against.
    ///
    /// - Throws: `RequestError` for a base that is not a URL.
    package func url() throws(RequestError) -> RequestURL { try RequestURL(content + "/files/upload") }

    /// `TransferSpec.dialect`.
    ///
    /// - Throws: `RequestError` for parameters that `validate` refuses.
    package func dialectSpec() throws(RequestError) -> DialectSpec {
        try dialectSpec(to: destination)
    }
}

extension DropboxParameters: DialectParameters {
    package func lentAccount() throws(RequestError) -> String? {
        let usual = DropboxEndpoints.dropbox
        // The account's own servers take their place; anywhere else, a token would be leaked.
        guard api == usual.api, content == usual.content else { throw .serversOfAccount }
        return account
    }

    private enum CodingKeys: String, CodingKey {
        case account, accountID, path, mode, autorename, mute, strictConflict, clientModified, largestChunk,
            connections,
            api, content
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            account: try container.decode(String.self, forKey: .account),
            path: try container.decode(String.self, forKey: .path)
        )
        accountID = try container.decodeIfPresent(String.self, forKey: .accountID)
        mode = try container.decodeIfPresent(DropboxWriteMode.self, forKey: .mode) ?? mode
        autorename = try container.decodeIfPresent(Bool.self, forKey: .autorename) ?? false
        mute = try container.decodeIfPresent(Bool.self, forKey: .mute) ?? false
        strictConflict = try container.decodeIfPresent(Bool.self, forKey: .strictConflict) ?? false
        clientModified = try container.decodeIfPresent(Double.self, forKey: .clientModified)
            .map { Date(timeIntervalSince1970: $0) }
        largestChunk = try container.decodeIfPresent(Int64.self, forKey: .largestChunk)
        connections = try container.decodeIfPresent(Int.self, forKey: .connections)
        api = try container.decodeIfPresent(String.self, forKey: .api) ?? api
        content = try container.decodeIfPresent(String.self, forKey: .content) ?? content
    }

    /// Default values are left out.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(account, forKey: .account)
        try container.encodeIfPresent(accountID, forKey: .accountID)
        try container.encode(path, forKey: .path)
        if mode != .add { try container.encode(mode, forKey: .mode) }
        if autorename { try container.encode(autorename, forKey: .autorename) }
        if mute { try container.encode(mute, forKey: .mute) }
        if strictConflict { try container.encode(strictConflict, forKey: .strictConflict) }
        try container.encodeIfPresent(clientModified?.timeIntervalSince1970, forKey: .clientModified)
        try container.encodeIfPresent(largestChunk, forKey: .largestChunk)
        try container.encodeIfPresent(connections, forKey: .connections)
        if api != DropboxEndpoints.dropbox.api { try container.encode(api, forKey: .api) }
        if content != DropboxEndpoints.dropbox.content { try container.encode(content, forKey: .content) }
    }
}
