// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// The owner's choices for an upload by tus 1.0 (https://tus.io/protocols/resumable-upload): the file's metadata. The
/// transfer's URL is the server's endpoint, where uploads are created.
package struct TusParameters: Sendable, Hashable {
    /// The name of the dialect that reads them.
    package static let dialect = "tus"
    package static let purpose = "tus"

    /// `Upload-Metadata`, in order: most servers know `filename` and `filetype`.
    package var metadata: [MetadataEntry] = []
    /// The most bytes of the file in one request; nil for the best number.
    package var largestChunk: Int64?

    package init() {}

    /// The most bytes of all metadata: it goes into a header, which servers limit to about 8 KiB.
    private static let longestMetadata = 4096
    /// The smallest allowed limit for chunks.
    package static let smallestChunk: Int64 = 64 << 10

    /// Refuses values that no header can carry.
    package func validate() throws(RequestError) {
        var names: Set<String> = []
        var bytes = 0
        for entry in metadata {
            try entry.validate()
            bytes = bytes.addingClamped(entry.name.utf8.count).addingClamped(entry.value.utf8.count)
            guard names.insert(entry.name).inserted else {
                throw .invalidValue("The metadata '\(entry.name)' is given twice: give one value for each name")
            }
        }
        guard bytes <= Self.longestMetadata else {
            throw .invalidValue("The metadata has more than \(Self.longestMetadata) bytes: shorten it")
        }
        if let largestChunk, largestChunk < Self.smallestChunk {
            throw .invalidValue("The largest chunk must be at least \(Self.smallestChunk) bytes")
        }
    }

    // MARK: - For the transfer's specification

    /// `TransferSpec.dialect`.
    ///
    /// - Parameter url: the server's endpoint.
    /// - Returns: the dialect, whose destination is that endpoint until the server states where the file is.
    /// - Throws: `RequestError` for parameters that `validate` refuses.
    package func dialectSpec(at url: RequestURL) throws(RequestError) -> DialectSpec {
        try dialectSpec(to: url.description)
    }
}

extension TusParameters: DialectParameters {
    package static var sendsOwnersRequests: Bool { true }
    package func lentAccount() throws(RequestError) -> String? { nil }

    private enum CodingKeys: String, CodingKey { case metadata, largestChunk }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        metadata = try container.decodeIfPresent([MetadataEntry].self, forKey: .metadata) ?? []
        largestChunk = try container.decodeIfPresent(Int64.self, forKey: .largestChunk)
    }

    /// Default values are left out.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        if !metadata.isEmpty { try container.encode(metadata, forKey: .metadata) }
        try container.encodeIfPresent(largestChunk, forKey: .largestChunk)
    }
}
