// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol
import OffstageRuntime

/// Reads requests and writes replies. Long ones are read and written on a worker, so that the loop has time for others.
struct RequestCoding: Sendable {
    let workers: WorkerPool

    /// The longest payload that is decoded on the loop, in bytes.
    static let longestOnLoop = 16 << 10

    /// Decodes a request with at most as many values as its kind may have.
    ///
    /// - Throws: `JSONShape.Problem`, `DecodingError`.
    func decode<Request: WireRequest>(_ type: Request.Type, _ frame: WireFrame) async throws -> Request {
        // Clients ask for everything else in parts.
        let limit = Request.name == SubmitTransfers.name ? Int.max : 20_000
        // A request without fields may have an empty payload.
        let payload = frame.payload.isEmpty ? Array("{}".utf8) : frame.payload
        guard payload.count > Self.longestOnLoop else { return try Self.decode(type, payload, limit) }
        return try await workers.run { Result { try Self.decode(type, payload, limit) } }.get()
    }

    /// Decodes a request with at most `limit` values on this thread.
    ///
    /// - Throws: `JSONShape.Problem`, `DecodingError`.
    static func decode<Request: WireRequest>(
        _ type: Request.Type,
        _ payload: [UInt8],
        _ limit: Int
    ) throws -> Request {
        try Doing.named(.request, .answering, Request.name) {
            try WireCoding.decode(type, from: payload, values: limit)
        }
    }

    /// Encodes a reply with so many rows.
    func encode(_ reply: some Encodable & Sendable, rows: Int = .max) async throws -> [UInt8] {
        guard rows > 20 else { return try WireCoding.encode(reply) }
        return try await workers.run { Result { try WireCoding.encode(reply) } }.get()
    }
}
