// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport

/// A tus server for one upload, which accepts each byte at its offset, and keeps its own log of accepted bytes.
final class TusTestServer: Sendable {
    private struct State: Sendable {
        var bytes: [UInt8] = []
        var created = 0
        var deleted = 0
        /// All bytes that arrived, including those at a wrong offset.
        var received = 0
        var completed = 0
    }

    let server: FaultServer
    private let size: Int
    private let state = Monitor(State())

    /// - Parameters:
    ///   - size: of the file.
    ///   - hold: the first PATCH stops after this many bytes, and its connection breaks once the gate is open.
    /// - Throws: `TestError`.
    init(size: Int, hold: (position: Int, gate: FaultGate)? = nil) throws {
        server = try FaultServer()
        self.size = size
        let (state, size) = (state, size)
        server.script(
            "/files",
            FaultAnswer {
                try $0.readBody()
                guard $0.request.method == "POST" else {
                    return try $0.respond(
                        204,
                        Self.fields(["Tus-Version": "1.0.0", "Tus-Extension": "creation,termination"])
                    )
                }
                let number = state.withLock { state -> Int in
                    state.created += 1
                    return state.created
                }
                try $0.respond(201, Self.fields(["Location": "/files/\(number)"]))
            }
        )
        for number in 1...4 { server.script("/files/\(number)", Self.upload(state, size, hold)) }
    }

    private static func fields(_ more: [String: String]) -> [HeaderField] {
        [HeaderField(name: "Tus-Resumable", value: "1.0.0")]
            + more.sorted { $0.key < $1.key }.map { HeaderField(name: $0.key, value: $0.value) }
    }

    private static func upload(_ state: Monitor<State>, _ size: Int, _ hold: (position: Int, gate: FaultGate)?)
        -> FaultAnswer
    {
        FaultAnswer { exchange in
            switch exchange.request.method {
            case "HEAD":
                let count = state.withLock { $0.bytes.count }
                try exchange.respond(
                    200,
                    fields(["Upload-Offset": "\(count)", "Upload-Length": "\(size)", "Cache-Control": "no-store"])
                )
            case "PATCH": try patch(exchange, state, size, hold)
            case "DELETE":
                state.withLock { $0.deleted += 1 }
                try exchange.respond(204, fields([:]))
            default: try exchange.respond(405)
            }
        }
    }

    private static func patch(
        _ exchange: FaultExchange,
        _ state: Monitor<State>,
        _ size: Int,
        _ hold: (position: Int, gate: FaultGate)?
    ) throws {
        let offset = exchange.request.headers["Upload-Offset"].flatMap { Int($0) } ?? -1
        guard offset == state.withLock({ $0.bytes.count }) else {
            try exchange.readBody()
            state.withLock { $0.received += exchange.body.count }
            return try exchange.respond(409, fields([:]))
        }
        if let hold, offset == 0 {
            // It has received this much, and accepts no more from this connection.
            try exchange.readBody(stopAt: hold.position)
            take(exchange.body, at: offset, state, size)
            try exchange.wait(for: hold.gate)
            return exchange.reset()
        }
        try exchange.readBody()
        take(exchange.body, at: offset, state, size)
        let count = offset + exchange.body.count
        try exchange.respond(204, fields(["Upload-Offset": "\(count)"]))
    }

    private static func take(_ body: [UInt8], at offset: Int, _ state: Monitor<State>, _ size: Int) {
        state.withLock { state in
            state.received += body.count
            guard state.bytes.count == offset else { return }
            state.bytes += body
            if state.bytes.count == size { state.completed += 1 }
        }
    }

    var bytes: [UInt8] { state.withLock { $0.bytes } }
    var created: Int { state.withLock { $0.created } }
    var deleted: Int { state.withLock { $0.deleted } }
    var completed: Int { state.withLock { $0.completed } }
    /// Bytes that arrived more than once.
    var repeated: Int { state.withLock { $0.received - $0.bytes.count } }
}
