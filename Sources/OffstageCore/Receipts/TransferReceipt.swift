// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// The known facts about a completed transfer, and their sources: for people and programs that need proof.
package struct TransferReceipt: Sendable, Equatable, Codable {
    package enum Side: String, Sendable, Codable {
        /// Computed by Offstage from the file.
        case offstage
        /// Given with the transfer.
        case owner
        /// In the server's answer.
        case server
    }

    /// A digest of the file.
    package struct Proof: Sendable, Equatable, Codable {
        package var digest: FileDigest
        package var statedBy: Side
        /// Whether Offstage has computed it as well, with the same result.
        package var isConfirmed: Bool

        package init(_ digest: FileDigest, statedBy side: Side, isConfirmed: Bool) {
            self.digest = digest
            statedBy = side
            self.isConfirmed = isConfirmed
        }
    }

    /// The CRC32C of the file, which Google Cloud Storage keeps with each object.
    package struct CRC32CProof: Sendable, Equatable, Codable {
        package var checksum: CRC32C
        package var statedBy: Side
        /// Whether Offstage has computed it as well, with the same result.
        package var isConfirmed: Bool

        package init(_ checksum: CRC32C, statedBy side: Side, isConfirmed: Bool) {
            self.checksum = checksum
            statedBy = side
            self.isConfirmed = isConfirmed
        }
    }

    /// The file's size, in bytes.
    @Within<ByteCounts> package var bytes: Int64
    /// Bytes of the file sent over the network, as far as known. Bytes after the last report of an attempt that died
    /// with its daemon are missing.
    @Within<ByteCounts> package var moved: Int64
    @Within<Counts> package var attempts: Int
    package var handedOverAt: Date
    package var finishedAt: Date
    /// The HTTP status of the answer that ended it.
    @Within<StatusCodes> package var status: Int
    /// The address of the server, or of its proxy.
    package var address: String?
    package var proofs: [Proof]
    /// Nil for servers other than Google's.
    package var crc32c: CRC32CProof?
    package var entityTag: String?
    /// `Last-Modified` of a download's file, if it is a strong validator: the server wrote the answer at least a second
    /// later (RFC 9110, section 8.8.2.2).
    package var lastModified: String?
    /// The version of the object at its server.
    package var version: String?
    /// The server's identifier of the last request, for questions to its operator.
    package var requestID: String?

    /// The digests that the file must have, without duplicates. A digest from the server counts only if none of its
    /// kind was computed: otherwise the file was accepted by the computed one.
    package var digests: [FileDigest] {
        let computed = Set(proofs.filter(\.isConfirmed).map(\.digest.partSize))
        var result: [FileDigest] = []
        for proof in proofs where proof.isConfirmed || !computed.contains(proof.digest.partSize) {
            if !result.contains(proof.digest) { result.append(proof.digest) }
        }
        return result
    }

    /// Bytes sent over the network more than once.
    package var repeated: Int64 { max(0, moved.subtractingClamped(bytes)) }

    /// Nil if the transfer has not completed, or its server already had the file.
    ///
    /// - Parameters:
    ///   - transfer: the transfer.
    ///   - proofs: the digests of its file.
    ///   - crc32c: its CRC32C.
    ///   - version: the version of the object at its server.
    package init?(of transfer: Transfer, proofs: [Proof], crc32c: CRC32CProof? = nil, version: String?) {
        guard case .finished(.completed(let answer), let end) = transfer.state, answer.saysThere != true else {
            return nil
        }
        let redactor = transfer.spec.secretRedactor
        func shown(_ text: String?) -> String? { Self.shown(text, redactor) }
        bytes = transfer.bytesDone
        let all = transfer.bytesDone.subtractingClamped(Self.beginning(of: transfer))
        moved = transfer.past.moved > 0 ? transfer.past.moved : max(0, all)
        attempts = transfer.attempts
        handedOverAt = transfer.createdAt.wall
        finishedAt = end.wall
        status = answer.status
        address = answer.remoteAddress.map { address in
            answer.remotePort.map { address.contains(":") ? "[\(address)]:\($0)" : "\(address):\($0)" } ?? address
        }
        self.proofs = proofs
        self.crc32c = crc32c
        if answer.wasFetched != true { entityTag = shown(answer.headers["ETag"]) }
        if !transfer.spec.isUpload, let made = answer.headers["Date"], let modified = answer.headers["Last-Modified"],
            made != modified
        {
            lastModified = shown(modified)
        }
        if answer.wasFetched != true { self.version = shown(version) }
        requestID = Self.requestIDs.lazy.compactMap { shown(answer.headers[$0]) }.first
    }

    /// A short printable text from a server; nil if it repeats a secret. These texts are compared, and different ones
    /// may look the same once the secret is struck out.
    package static func shown(_ text: String?, _ redactor: SecretRedactor) -> String? {
        guard let text, (1...longestText).contains(text.utf8.count),
            text.utf8.allSatisfy({ (32...126).contains($0) })
        else { return nil }
        let struck = redactor.strike(text)
        return struck.contains(HeaderField.hidden) ? nil : struck
    }

    /// Bytes that existed before the first attempt: an app's resume data.
    private static func beginning(of transfer: Transfer) -> Int64 {
        transfer.spec.resumePartial?.syncedBytes ?? 0
    }

    /// Bytes of the longest server text that is shown.
    private static let longestText = 256
    /// Header fields that identify a request, service-specific ones first.
    private static let requestIDs = [
        "x-amz-request-id", "X-Dropbox-Request-Id", "X-GUploader-UploadID", "x-ms-request-id", "X-Request-Id",
    ]
}
