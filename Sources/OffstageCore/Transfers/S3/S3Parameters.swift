// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// The owner's choices for an upload to S3: where the object goes, whose key signs, and what is kept with the object.
package struct S3Parameters: Sendable, Hashable {
    /// The name of the dialect that reads them.
    package static let dialect = S3Object.dialect
    package static let purpose = S3Object.purpose

    /// Where the object goes, and whose keys sign the requests.
    package var object: S3Object
    /// Kept with the object (`x-amz-meta-offstage-id`), so that the upload recognises its own object after a lost
    /// answer. Practically unique: 32 hexadecimal digits.
    package var marker: String
    /// Whether an existing object is left alone, so that the upload fails (`If-None-Match: *`).
    package var leavesExisting = false
    /// `x-amz-storage-class`; nil for the bucket's own class.
    package var storageClass: String?
    /// Kept with the object (`x-amz-meta-…`), in order.
    package var metadata: [MetadataEntry] = []
    /// The most parts of an object that the endpoint accepts; nil for 10,000 at AWS and 1,000 elsewhere.
    package var mostParts: Int?
    /// The number of parts sent at once; nil for the best number.
    package var connections: Int?
    /// Whether SHA-256 checksums are sent for the endpoint to keep; nil for AWS only. Every endpoint checks the SHA-256
    /// in the signature.
    package var sendsChecksums: Bool?

    package init(_ object: S3Object, marker: String) {
        self.object = object
        self.marker = marker
    }

    package var location: S3Location { object.location }
    package var endpoint: S3Endpoint { object.endpoint }

    /// The header field that carries `marker`, in lower case.
    package static let markerField = "x-amz-meta-offstage-id"
    /// The header field with the SHA-256 of a body or an object.
    package static let checksumField = "x-amz-checksum-sha256"
    /// S3's limits for the size of a part, in bytes, and for the number of parts. The last part may be shorter.
    package static let partSizes: ClosedRange<Int64> = (5 << 20)...(5 << 30)  // checked: constants
    package static let partCounts = 1...10_000
    package static let connectionCounts = 1...16
    /// Bytes of names and values: S3's own limit.
    private static let longestMetadata = 2048

    private static let keptHeaders: Set<String> = [
        "content-type", "cache-control", "content-disposition", "content-encoding", "content-language", "expires",
        "x-amz-acl", "x-amz-tagging", "x-amz-website-redirect-location", "x-amz-server-side-encryption",
        "x-amz-server-side-encryption-aws-kms-key-id", "x-amz-server-side-encryption-context",
        "x-amz-server-side-encryption-bucket-key-enabled",
    ]
    private static let keptPrefixes = ["x-amz-meta-", "x-amz-grant-", "x-amz-object-lock-"]

    /// Whether an owner's header field goes to S3: it describes the object, and changes nothing else about the
    /// requests. With `x-amz-copy-source`, for example, another object would be copied.
    package static func keepsHeader(_ name: String) -> Bool {
        let name = name.lowercased()
        return name != markerField && (keptHeaders.contains(name) || keptPrefixes.contains { name.hasPrefix($0) })
    }

    package var partLimit: Int { mostParts ?? (endpoint.isAWS ? Self.partCounts.upperBound : 1000) }
    package var usesChecksums: Bool { sendsChecksums ?? endpoint.isAWS }

    /// Refuses values that no endpoint accepts.
    package func validate() throws(RequestError) {
        try object.validate()
        guard marker.utf8.count == 32, marker.utf8.allSatisfy(Hexadecimal.isDigit) else {
            throw .invalidValue("The upload has no marker of 32 hexadecimal digits")
        }
        if let storageClass, !Self.isWord(storageClass) {
            throw .invalidValue("'\(storageClass.redactedControls)' is not a storage class: write it as STANDARD_IA")
        }
        if let mostParts, !Self.partCounts.contains(mostParts) {
            throw .invalidValue("An object has 1 to \(Self.partCounts.upperBound) parts, not \(mostParts)")
        }
        if let connections, !Self.connectionCounts.contains(connections) {
            throw .invalidValue("1 to \(Self.connectionCounts.upperBound) parts are sent at once, not \(connections)")
        }
        try validateMetadata()
    }

    private func validateMetadata() throws(RequestError) {
        var names: Set<String> = ["offstage-id"]
        var bytes = 0
        for entry in metadata {
            bytes = bytes.addingClamped(entry.name.utf8.count).addingClamped(entry.value.utf8.count)
            let field = HeaderField(name: "x-amz-meta-\(entry.name)", value: entry.value)
            try field.validate()
            guard entry.value.utf8.allSatisfy({ (32...126).contains($0) }) else {
                throw .invalidValue("The metadata '\(entry.name)' is not ASCII, which S3 needs: encode its value")
            }
            guard names.insert(entry.name.lowercased()).inserted else {
                throw .invalidValue("The metadata '\(entry.name)' is given twice: give one value for each name")
            }
        }
        guard bytes <= Self.longestMetadata else {
            throw .invalidValue("The metadata has more than \(Self.longestMetadata) bytes: shorten it")
        }
    }

    private static func isWord(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { (65...90).contains($0) || (48...57).contains($0) || $0 == UInt8(ascii: "_") }
    }

    // MARK: - For the transfer's specification

    /// The object's URL.
    ///
    /// - Throws: `RequestError` if there is none.
    package func url() throws(RequestError) -> RequestURL { try object.url() }

    /// `TransferSpec.dialect`.
    ///
    /// - Throws: `RequestError` for parameters that `validate` refuses.
    package func dialectSpec() throws(RequestError) -> DialectSpec {
        try dialectSpec(to: location.text)
    }
}

extension S3Parameters: DialectParameters {
    package func lentAccount() throws(RequestError) -> String? { try object.lentAccount() }

    private enum CodingKeys: String, CodingKey {
        case marker, leavesExisting, storageClass, metadata, mostParts, connections, sendsChecksums
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(try S3Object(from: decoder), marker: try container.decode(String.self, forKey: .marker))
        leavesExisting = try container.decodeIfPresent(Bool.self, forKey: .leavesExisting) ?? false
        storageClass = try container.decodeIfPresent(String.self, forKey: .storageClass)
        metadata = try container.decodeIfPresent([MetadataEntry].self, forKey: .metadata) ?? []
        mostParts = try container.decodeIfPresent(Int.self, forKey: .mostParts)
        connections = try container.decodeIfPresent(Int.self, forKey: .connections)
        sendsChecksums = try container.decodeIfPresent(Bool.self, forKey: .sendsChecksums)
    }

    /// Default values are left out.
    package func encode(to encoder: any Encoder) throws {
        try object.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(marker, forKey: .marker)
        if leavesExisting { try container.encode(true, forKey: .leavesExisting) }
        try container.encodeIfPresent(storageClass, forKey: .storageClass)
        if !metadata.isEmpty { try container.encode(metadata, forKey: .metadata) }
        try container.encodeIfPresent(mostParts, forKey: .mostParts)
        try container.encodeIfPresent(connections, forKey: .connections)
        try container.encodeIfPresent(sendsChecksums, forKey: .sendsChecksums)
    }
}
