// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageTestSupport

/// A blocking client of the daemon's socket, which may misbehave. Used by one test at a time.
final class WireClient: @unchecked Sendable {
    // Used by one thread at a time; `hangUp` releases a thread that is blocked in `write`.
    private let descriptor: Int32
    private var decoder = FrameDecoder()
    private var exchange: UInt32 = 0
    private var events: [TransferEvent] = []
    private var memories: [MemoryToKeep] = []

    /// Connects without greeting.
    init(_ daemon: DaemonFixture) throws {
        descriptor = try LoopbackSocket.connect(path: daemon.socketPath)
    }

    /// Greets on an existing connection, and closes it in the end.
    init(taking descriptor: Int32) throws {
        self.descriptor = descriptor
        _ = try send(Hello(client: "tests"))
    }

    deinit { close(descriptor) }

    /// Ends the connection, and releases any waiting thread.
    func hangUp() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Connects and greets.
    static func greeted(_ daemon: DaemonFixture) throws -> WireClient {
        let client = try WireClient(daemon)
        _ = try client.send(Hello(client: "tests"))
        return client
    }

    /// Sends bytes as they are.
    func write(_ bytes: [UInt8]) throws {
        try LoopbackSocket.send(bytes, to: descriptor)
    }

    /// The frame of a request.
    func frame(_ request: some WireRequest) throws -> WireFrame {
        exchange += 1
        return WireFrame(
            kind: .request,
            exchange: exchange,
            name: type(of: request).name,
            payload: try WireCoding.encode(request)
        )
    }

    /// Sends a request and waits for the answer.
    ///
    /// - Throws: `WireFailure` if the daemon refuses, `TestError` if it does not answer or hangs up.
    func send<Request: WireRequest>(_ request: Request, within seconds: Double = 20) throws -> Request.Reply {
        let question = try frame(request)
        try write(question.encoded())
        let limit = TimeLimit(seconds: seconds)
        while true {
            guard let answer = try nextFrame(limit) else {
                throw TestError("The daemon did not answer '\(Request.name)' in \(seconds) s.")
            }
            if take(answer) { continue }
            if answer.kind == .failure { throw try WireCoding.decode(WireFailure.self, from: answer.payload) }
            guard answer.exchange == question.exchange else { throw TestError("An answer to another question came.") }
            return try WireCoding.decode(Request.Reply.self, from: answer.payload)
        }
    }

    /// The next frame; nil if the limit comes first.
    ///
    /// - Throws: `TestError` if the daemon hangs up.
    func nextFrame(_ limit: TimeLimit) throws -> WireFrame? {
        while true {
            if let frame = try decoder.next() { return frame }
            guard let bytes = try LoopbackSocket.receive(descriptor, limit: limit) else { return nil }
            guard !bytes.isEmpty else { throw TestError("The daemon has hung up.") }
            decoder.append(bytes)
        }
    }

    /// The next event; nil if the limit comes first.
    func nextEvent(_ limit: TimeLimit) throws -> TransferEvent? {
        while events.isEmpty {
            guard let frame = try nextFrame(limit) else { return nil }
            _ = take(frame)
        }
        return events.removeFirst()
    }

    /// The next memory for this connection to keep.
    func nextMemory(within seconds: Double = 20) throws -> MemoryToKeep {
        let limit = TimeLimit(seconds: seconds)
        while memories.isEmpty {
            guard let frame = try nextFrame(limit) else { throw TestError("Nothing was to be kept in \(seconds) s.") }
            _ = take(frame)
        }
        return memories.removeFirst()
    }

    /// Waits until the daemon hangs up; false if it does not do so in time.
    func waitForHangUp(within seconds: Double = 20) throws -> Bool {
        let limit = TimeLimit(seconds: seconds)
        while let bytes = try LoopbackSocket.receive(descriptor, limit: limit) {
            if bytes.isEmpty { return true }
        }
        return false
    }

    private func take(_ frame: WireFrame) -> Bool {
        guard frame.kind == .event else { return false }
        if frame.name == MemoryToKeep.name {
            if let memory = try? WireCoding.decode(MemoryToKeep.self, from: frame.payload) { memories.append(memory) }
            return true
        }
        if let event = try? WireCoding.decode(TransferEvent.self, from: frame.payload) { events.append(event) }
        return true
    }
}
