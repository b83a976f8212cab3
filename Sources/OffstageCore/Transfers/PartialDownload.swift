// SPDX-License-Identifier: Apache-2.0

/// The facts about a download's partial file: enough to continue it, and to detect when that would be wrong.
package struct PartialDownload: Sendable, Equatable, Codable {
    /// The validator that later responses are compared with (RFC 9110, sections 8.8 and 13.1.5).
    package enum Validator: Sendable, Equatable, Codable {
        case strongETag(String)
        case lastModified(String)

        /// The value of `If-Range`.
        package var ifRange: String {
            switch self {
            case .strongETag(let value), .lastModified(let value): value
            }
        }
    }

    /// Nil if the server gave no validator strong enough for resuming.
    package var validator: Validator?
    /// The length of the whole file as the server stated it.
    @WithinIfPresent<ByteCounts> package var totalBytes: Int64?
    /// Bytes that had reached the disk at the last checkpoint: all that can be trusted in another boot.
    @Within<ByteCounts> package var syncedBytes: Int64
    /// The boot in which the file was last written.
    package var bootID: String
    /// Set once the server answered a range with the whole file.
    package var serverIgnoresRanges: Bool

    package init(
        validator: Validator?,
        totalBytes: Int64?,
        syncedBytes: Int64 = 0,
        bootID: String,
        serverIgnoresRanges: Bool = false
    ) {
        self.validator = validator
        self.totalBytes = totalBytes
        self.syncedBytes = syncedBytes
        self.bootID = bootID
        self.serverIgnoresRanges = serverIgnoresRanges
    }

    /// The head of a response has come whose body fills the file from `offset` on.
    ///
    /// Bytes from there on are being written anew, whatever was synced before.
    init(validator: Validator?, totalBytes: Int64?, bootID: String, replacing earlier: Self?, from offset: Int64) {
        self.init(
            validator: validator,
            totalBytes: totalBytes,
            syncedBytes: earlier?.validator == validator ? min(earlier?.syncedBytes ?? 0, offset) : 0,
            bootID: bootID,
            serverIgnoresRanges: earlier?.serverIgnoresRanges ?? false
        )
    }

    /// The file begins again at byte 0.
    init(bootID: String, beginningAgain earlier: Self?, serverIgnoresRanges: Bool) {
        self.init(
            validator: nil,
            totalBytes: nil,
            bootID: bootID,
            serverIgnoresRanges: serverIgnoresRanges || earlier?.serverIgnoresRanges == true
        )
    }

    /// The byte at which the next attempt may continue, given the partial file's size; 0 means from the start.
    ///
    /// After a power loss only synced bytes count, since a file's size may reach the disk before its content does.
    /// A partial file that is already whole is asked for its last byte, so that the answer's validator is checked.
    package func resumeOffset(fileSize: Int64, bootID: String) -> Int64 {
        guard validator != nil, !serverIgnoresRanges else { return 0 }
        var offset = bootID == self.bootID ? fileSize : min(fileSize, syncedBytes)
        if let totalBytes { offset = min(offset, totalBytes - 1) }
        return max(0, offset)
    }
}
