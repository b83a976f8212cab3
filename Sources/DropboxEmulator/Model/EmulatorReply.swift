// SPDX-License-Identifier: Apache-2.0

/// The answer to a request.
package struct EmulatorReply: Sendable {
    package enum Body: Sendable {
        case bytes([UInt8])
        /// Bytes of stored segments, one after the other.
        case stored([StoredExtent])
    }

    package var status: Int
    package var headers: [(name: String, value: String)]
    package var body: Body

    package init(status: Int, headers: [(name: String, value: String)] = [], body: Body = .bytes([])) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    package static func json(_ value: EmulatorJSON, status: Int = 200) -> EmulatorReply {
        EmulatorReply(
            status: status,
            headers: [("Content-Type", "application/json")],
            body: .bytes(Array(value.text.utf8))
        )
    }

    package static func text(_ text: String, status: Int, type: String = "text/plain; charset=utf-8") -> EmulatorReply {
        EmulatorReply(status: status, headers: [("Content-Type", type)], body: .bytes(Array(text.utf8)))
    }

    /// A 429 that asks to wait for so many seconds.
    static func tooMany(_ seconds: Int, plain: Bool, reason: String, dots: String) -> EmulatorReply {
        var reply: EmulatorReply =
            if plain {
                .text("\(reason)\n", status: 429)
            } else {
                .json(
                    [
                        "error_summary": .string("\(reason)/\(dots)"),
                        "error": ["reason": .tag(reason), "retry_after": .integer(Int64(seconds))],
                    ],
                    status: 429
                )
            }
        reply.headers.append(("Retry-After", String(seconds)))
        return reply
    }

    package func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// The body as text; empty when it is stored bytes.
    package var text: String {
        if case .bytes(let bytes) = body { String(decoding: bytes, as: UTF8.self) } else { "" }
    }

    /// The body as JSON; null if it is not JSON.
    package var json: EmulatorJSON { EmulatorJSON(parsing: text) ?? .null }
}
