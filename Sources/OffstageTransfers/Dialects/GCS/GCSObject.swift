// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// Google Cloud Storage's description of an object
/// (https://cloud.google.com/storage/docs/json_api/v1/objects#resource).
struct GCSObject: Sendable, Equatable {
    let size: Int64
    /// Distinguishes the objects that have had this name.
    let generation: Int64?
    /// Nil if the answer has none.
    let checksum: CRC32C?
    /// The marker of the upload that made it; nil if another program did.
    let marker: String?

    private struct Resource: Decodable {
        var size: String?
        var generation: String?
        var crc32c: String?
        var metadata: [String: String]?
    }

    /// Nil if the answer does not describe an object.
    init?(_ answer: Answer) {
        guard let read = try? ForeignJSON.decode(Resource.self, from: answer.bodyStart, values: 10_000),
            let size = read.size.flatMap({ Int64(digits: $0) })
        else { return nil }
        self.size = size
        generation = read.generation.flatMap { Int64(digits: $0) }
        if let text = read.crc32c ?? Self.checksum(answer.headers) {
            guard let bytes = Data(base64Encoded: text), let checksum = CRC32C(bytes) else { return nil }
            self.checksum = checksum
        } else {
            checksum = nil
        }
        marker = read.metadata?[GCSParameters.markerName]
    }

    /// The checksum in `x-goog-hash: crc32c=…,md5=…`.
    private static func checksum(_ headers: [HeaderField]) -> String? {
        let name = "crc32c="
        for field in headers where field.name.lowercased() == "x-goog-hash" {
            let values = field.value.split(separator: ",").map { $0.drop { $0 == " " } }
            if let value = values.first(where: { $0.hasPrefix(name) }) { return String(value.dropFirst(name.count)) }
        }
        return nil
    }
}
