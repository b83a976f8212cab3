// SPDX-License-Identifier: Apache-2.0

/// The owner's choices for an upload to Google Cloud Storage: where the object goes, who authorizes it, and what is
/// kept with it.
package struct GCSParameters: Sendable, Hashable {
    /// The name of the dialect that reads them.
    package static let dialect = "gcs"
    package static let purpose = "Google Cloud Storage"

    package var location: GCSLocation
    /// The base URL of an emulator or a private endpoint, without a slash at the end; nil for Google's.
    package var endpoint: String?
    package var identity: GoogleIdentity
    /// Kept with the object (`offstage-id`), so that the upload recognises its own object after a lost answer.
    /// Practically unique: 32 hexadecimal digits.
    package var marker: String
    /// Whether an existing object is left alone, so that the upload fails (`ifGenerationMatch=0`).
    package var leavesExisting = false
    /// Such as `NEARLINE`; nil for the bucket's own class.
    package var storageClass: String?
    /// Kept with the object.
    package var metadata: [MetadataEntry] = []

    package init(_ location: GCSLocation, at endpoint: String?, by identity: GoogleIdentity, marker: String) {
        self.location = location
        self.endpoint = endpoint
        self.identity = identity
        self.marker = marker
    }

    /// The name of the metadata that carries `marker`.
    package static let markerName = "offstage-id"
    /// Google's server.
    package static let google = "https://storage.googleapis.com"
    /// Bytes of names and values: the service's own limit.
    private static let longestMetadata = 8192

    private static let keptHeaders: Set<String> = [
        "content-type", "cache-control", "content-disposition", "content-encoding", "content-language",
        "x-goog-user-project",
    ]

    /// Whether an owner's header field is sent: it describes the object, or states who pays.
    package static func keepsHeader(_ name: String) -> Bool { keptHeaders.contains(name.lowercased()) }

    /// The server's URL, without a slash at the end.
    package var base: String { endpoint ?? Self.google }

    /// Refuses values that the service does not accept.
    package func validate() throws(RequestError) {
        try location.validate()
        try identity.validate()
        if let endpoint { try Self.validate(endpoint: endpoint) }
        guard marker.utf8.count == 32, marker.utf8.allSatisfy(Hexadecimal.isDigit) else {
            throw .invalidValue("The upload has no marker of 32 hexadecimal digits")
        }
        if let storageClass, !Self.isWord(storageClass) {
            throw .invalidValue("'\(storageClass.redactedControls)' is not a storage class: write it as NEARLINE")
        }
        var names: Set<String> = [Self.markerName]
        var bytes = 0
        for entry in metadata {
            bytes = bytes.addingClamped(entry.name.utf8.count).addingClamped(entry.value.utf8.count)
            guard !entry.name.isEmpty, names.insert(entry.name).inserted else {
                throw .invalidValue(
                    "The metadata '\(entry.name.redactedControls)' is given twice, or has no name: give one value for each name"
                )
            }
        }
        guard bytes <= Self.longestMetadata else {
            throw .invalidValue("The metadata has more than \(Self.longestMetadata) bytes: shorten it")
        }
    }

    private static func validate(endpoint: String) throws(RequestError) {
        let url = try RequestURL(endpoint)
        let authority = endpoint.dropFirst(url.scheme.count + 3)
        guard !authority.utf8.contains(where: { "/?#@".utf8.contains($0) }) else {
            throw .invalidURL("'\(url)' is more than an endpoint: write it as https://host or http://127.0.0.1:port")
        }
        guard endpoint == endpoint.lowercased() else { throw .invalidURL("'\(url)' must be in lower case") }
        guard url.mayCarrySecrets else {
            throw .invalidURL("'\(url)' is plain http to another machine, where tokens are not sent: use https")
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
    package func url() throws(RequestError) -> RequestURL {
        try RequestURL("\(base)/\(location.bucket)/\(S3Endpoint.encodedPath(location.object))")
    }

    /// `TransferSpec.dialect`.
    ///
    /// - Throws: `RequestError` for parameters that `validate` refuses.
    package func dialectSpec() throws(RequestError) -> DialectSpec { try dialectSpec(to: location.text) }
}

extension GCSParameters: DialectParameters {
    package func lentAccount() throws(RequestError) -> String? {
        guard endpoint == nil else { throw .serversOfAccount }
        guard case .keyFile(let path) = identity else {
            throw .invalidValue("A row of a fleet runs no command for its tokens")
        }
        return path
    }

    private enum CodingKeys: String, CodingKey {
        case bucket, object, endpoint, identity, marker, leavesExisting, storageClass, metadata
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            GCSLocation(
                bucket: try container.decode(String.self, forKey: .bucket),
                object: try container.decode(String.self, forKey: .object)
            ),
            at: try container.decodeIfPresent(String.self, forKey: .endpoint),
            by: try container.decode(GoogleIdentity.self, forKey: .identity),
            marker: try container.decode(String.self, forKey: .marker)
        )
        leavesExisting = try container.decodeIfPresent(Bool.self, forKey: .leavesExisting) ?? false
        storageClass = try container.decodeIfPresent(String.self, forKey: .storageClass)
        metadata = try container.decodeIfPresent([MetadataEntry].self, forKey: .metadata) ?? []
    }

    /// Default values are left out.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(location.bucket, forKey: .bucket)
        try container.encode(location.object, forKey: .object)
        try container.encodeIfPresent(endpoint, forKey: .endpoint)
        try container.encode(identity, forKey: .identity)
        try container.encode(marker, forKey: .marker)
        if leavesExisting { try container.encode(true, forKey: .leavesExisting) }
        try container.encodeIfPresent(storageClass, forKey: .storageClass)
        if !metadata.isEmpty { try container.encode(metadata, forKey: .metadata) }
    }
}
