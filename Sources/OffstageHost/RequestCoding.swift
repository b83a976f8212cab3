// SPDX-License-Identifier: Apache-2.0
import OffstageCore
package import OffstageProtocol
package import OffstageRuntime

/// Decodes requests and encodes replies. Long ones are handled on a worker, which leaves the loop time for other work.
package struct RequestCoding: Sendable {
    package let workers: WorkerPool

    /// The longest payload that is decoded on the loop, in bytes.
    package static let longestOnLoop = 16 << 10
    /// The most rows of a reply that is encoded on the loop.
    private static let rowsOnLoop = 20
    /// The longest of these rows, in bytes.
    private static let longestRowOnLoop = 4 << 10

    package init(workers: WorkerPool) { self.workers = workers }

    /// Decodes a request, limited to the number of values that its kind may have.
    ///
    /// - Throws: `JSONShape.Problem`, `DecodingError`.
    package func decode<Request: WireRequest>(_ type: Request.Type, _ frame: WireFrame) async throws -> Request {
        // Clients send all other requests in parts.
        let limit = Request.name == SubmitTransfers.name ? Int.max : 20_000
        // A request without fields may have an empty payload.
        let payload = frame.payload.isEmpty ? Array("{}".utf8) : frame.payload
        guard payload.count > Self.longestOnLoop else { return try Self.decode(type, payload, limit) }
        return try await workers.run { Result { try Self.decode(type, payload, limit) } }.get()
    }

    /// Decodes a request with at most `limit` values on this thread.
    ///
    /// - Throws: `JSONShape.Problem`, `DecodingError`.
    package static func decode<Request: WireRequest>(
        _ type: Request.Type,
        _ payload: [UInt8],
        _ limit: Int
    ) throws -> Request {
        try Doing.named(.request, .answering, Request.name) {
            try WireCoding.decode(type, from: payload, values: limit)
        }
    }

    /// Encodes a reply with this many rows.
    package func encode(_ reply: some Encodable & Sendable, rows: Int = .max) async throws -> [UInt8] {
        guard rows > Self.rowsOnLoop else { return try WireCoding.encode(reply) }
        return try await workers.run { Result { try WireCoding.encode(reply) } }.get()
    }

    /// Encodes a page of transfers with as many rows as fit a frame.
    ///
    /// - Parameters:
    ///   - rows: the rows of the page.
    ///   - isFromEnd: whether to keep the last rows if not all fit.
    ///   - reply: the reply with these rows, and whether some were left out.
    /// - Returns: the encoded reply.
    /// - Throws: `EncodingError`.
    package func encodePage<Reply: Codable & Sendable>(
        _ rows: [TransferRow],
        isFromEnd: Bool = false,
        _ reply: @escaping @Sendable (_ rows: [TransferRow], _ isCut: Bool) -> Reply
    ) async throws -> EncodedReply<Reply> {
        let encode: @Sendable () throws -> EncodedReply<Reply> = {
            let lengths = rows.map(\.length)
            let count = isFromEnd ? PageLength.fitting(lengths.reversed()) : PageLength.fitting(lengths)
            return try PageLength.encode(upTo: count) { count in
                reply(Array(isFromEnd ? rows.suffix(count) : rows.prefix(count)), count < rows.count)
            }
        }
        if rows.count <= Self.rowsOnLoop, rows.allSatisfy({ $0.length <= Self.longestRowOnLoop }) {
            return try encode()
        }
        return try await workers.run { Result { try encode() } }.get()
    }
}
