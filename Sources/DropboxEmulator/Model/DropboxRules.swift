// SPDX-License-Identifier: Apache-2.0

/// Limits, speeds, and what Dropbox's documentation leaves open, which can be set either way.
package struct DropboxRules: Sendable, Equatable {
    /// The answer to a request for a session after its file was committed.
    package enum AfterCommit: String, Sendable, CaseIterable { case notFound = "not_found", closed }

    /// Seconds that an access token lasts.
    package var tokenLifetime: Double = 14_400
    /// Seconds that a code of the authorize page lasts.
    package var codeLifetime: Double = 600
    /// Seconds that an upload session lasts.
    package var sessionLifetime: Double = 604_800
    /// Bytes in the body of one request.
    package var maximumBody: Int64 = 157_286_400
    /// Bytes of one file that is uploaded in a session.
    package var maximumFile: Int64 = 2_199_019_061_248
    /// Bytes in the account; nil for no limit.
    package var quota: Int64?
    package var afterCommit: AfterCommit = .notFound
    /// Whether the received part of an aborted request stays in its session.
    package var keepsPrefix = false
    /// Whether metadata includes a file's content_hash, which is optional in the schema.
    package var tellsContentHash = true
    /// Whether finish_batch (the first version) answers with a job to poll.
    package var finishBatchIsAsynchronous = false
    /// Read-only folders.
    package var readOnlyFolders: [String] = []
    /// Whether the person at the authorize page declines.
    package var deniesAuthorization = false
    /// Seconds before each answer.
    package var latency: Double = 0
    /// Bytes of request bodies that each connection reads per second; nil for no limit.
    package var bytesPerSecond: Double?

    package init() {}

    /// Changes the rules that the object names.
    ///
    /// - Throws: `DropboxRefusal.malformed` if a name is unknown or a value is invalid.
    mutating func change(by json: EmulatorJSON) throws(DropboxRefusal) {
        var changed = self
        var reader = try ArgumentReader(json, complaint: "rules: ")
        if let value = try reader.optionalSeconds("token_lifetime") { changed.tokenLifetime = value }
        if let value = try reader.optionalSeconds("code_lifetime") { changed.codeLifetime = value }
        if let value = try reader.optionalSeconds("session_lifetime") { changed.sessionLifetime = value }
        if let value = try reader.optionalCount("maximum_body") { changed.maximumBody = value }
        if let value = try reader.optionalCount("maximum_file") { changed.maximumFile = value }
        if let value = try reader.optionalCount("quota") { changed.quota = value }
        if let value = try reader.optionalString("after_commit") {
            guard let member = AfterCommit(rawValue: value) else {
                throw reader.refuse("after_commit", "\"\(value)\" is neither \"not_found\" nor \"closed\"")
            }
            changed.afterCommit = member
        }
        changed.keepsPrefix = try reader.bool("keeps_prefix", default: keepsPrefix)
        changed.tellsContentHash = try reader.bool("tells_content_hash", default: tellsContentHash)
        changed.finishBatchIsAsynchronous = try reader.bool(
            "finish_batch_is_asynchronous",
            default: finishBatchIsAsynchronous
        )
        changed.readOnlyFolders = try reader.strings("read_only_folders") ?? readOnlyFolders
        changed.deniesAuthorization = try reader.bool("denies_authorization", default: deniesAuthorization)
        if let value = try reader.optionalSeconds("latency") { changed.latency = value }
        if let value = try reader.optionalNumber("bytes_per_second") {
            changed.bytesPerSecond = value > 0 ? value : nil
        }
        try reader.end()
        self = changed
    }

    package var json: EmulatorJSON {
        [
            "token_lifetime": .number(tokenLifetime), "code_lifetime": .number(codeLifetime),
            "session_lifetime": .number(sessionLifetime), "maximum_body": .integer(maximumBody),
            "maximum_file": .integer(maximumFile), "quota": quota.map { .integer($0) } ?? .null,
            "after_commit": .string(afterCommit.rawValue), "keeps_prefix": .bool(keepsPrefix),
            "tells_content_hash": .bool(tellsContentHash),
            "finish_batch_is_asynchronous": .bool(finishBatchIsAsynchronous),
            "read_only_folders": .array(readOnlyFolders.map { .string($0) }),
            "denies_authorization": .bool(deniesAuthorization), "latency": .number(latency),
            "bytes_per_second": bytesPerSecond.map { .number($0) } ?? .null,
        ]
    }
}
