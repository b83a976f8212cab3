// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore

/// One connection of the fault server, used only by its thread.
final class FaultConnection {
    let descriptor: Int32
    let number: Int
    let state: Monitor<FaultServer.State>
    private var buffer: [UInt8] = []
    private var isReset = false

    init(descriptor: Int32, number: Int, state: Monitor<FaultServer.State>) {
        self.descriptor = descriptor
        self.number = number
        self.state = state
    }

    /// Answers requests until the connection ends.
    func serve() {
        do {
            switch state.withLock({ $0.onAccept }) {
            case .close?: break
            case .stall?: drainUntilClosed()
            case .garbage?:
                try LoopbackSocket.send(Array("\u{1}\u{2}SSH-2.0 this is not HTTP\r\n\r\n".utf8), to: descriptor)
            case nil: while try answerOne() {}
            }
        } catch {
            // The peer went away or sent garbage: the connection is over either way.
        }
        if isReset {
            breakOff()
        } else {
            // Unread bytes would turn the close into a reset, and the peer might lose the answer.
            shutdown(descriptor, Int32(SHUT_WR))
            drainUntilClosed(limit: TimeLimit(seconds: 2))
        }
        state.withLock {
            $0.open.remove(descriptor)
            close(descriptor)
        }
    }

    /// Makes the connection end with RST instead of FIN.
    func reset() { isReset = true }

    /// Waits for the peer to read everything, then resets: a reset makes its kernel discard unread data.
    private func breakOff() {
        _ = try? eventually("the peer reads what was sent", within: 5) {
            try LoopbackSocket.isReadByPeer(descriptor) ? true : nil
        }
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    /// Keeps the kernel's receive buffer from growing beyond about 256 KiB.
    func limitReceiveBuffer() {
        var size: Int32 = 131_072
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Reads and discards until the peer closes, the server stops or the limit is reached.
    func drainUntilClosed(limit: TimeLimit = TimeLimit(seconds: 3600)) {
        while let bytes = try? LoopbackSocket.receive(descriptor, limit: limit), !bytes.isEmpty {}
    }

    /// Receives up to `count` bytes from the peer; empty at the end of the stream.
    func receive(upTo count: Int) throws -> [UInt8] {
        if !buffer.isEmpty {
            let taken = Array(buffer.prefix(count))
            buffer.removeFirst(taken.count)
            return taken
        }
        return try LoopbackSocket.receive(descriptor, upTo: count, limit: TimeLimit(seconds: 120)) ?? []
    }

    /// Reads through the next line end, and returns the line without it.
    func receiveLine() throws -> String {
        var line: [UInt8] = []
        while line.last != UInt8(ascii: "\n") {
            let byte = try receive(upTo: buffer.isEmpty ? 65_536 : 1)
            guard let first = byte.first else { throw TestError("The stream ended within a line.") }
            line.append(first)
            if byte.count > 1 { buffer = Array(byte.dropFirst()) }
            guard line.count < 1 << 20 else { throw TestError("The line has no end.") }
        }
        return String(decoding: line.filter { $0 != 13 && $0 != 10 }, as: UTF8.self)
    }

    /// - Returns: whether another request may follow.
    private func answerOne() throws -> Bool {
        guard let request = try readHead() else { return false }
        let (index, answer) = state.withLock { state -> (Int, FaultAnswer) in
            state.requests.append(request)
            state.active += 1
            state.mostActive = max(state.mostActive, state.active)
            let answers = state.scripts[request.path] ?? []
            let turn = state.used[request.path, default: 0]
            state.used[request.path] = turn + 1
            return (state.requests.count - 1, answers.isEmpty ? .status(404) : answers[min(turn, answers.count - 1)])
        }
        defer { state.withLock { $0.active -= 1 } }
        let exchange = FaultExchange(connection: self, request: request, index: index)
        try answer.run(exchange)
        return exchange.keepsAlive
    }

    private func readHead() throws -> RecordedRequest? {
        guard let line = try? receiveLine() else { return nil }
        let words = line.split(separator: " ").map(String.init)
        guard words.count == 3 else { throw TestError("'\(line)' is no request line.") }
        var headers: [HeaderField] = []
        while true {
            let line = try receiveLine()
            if line.isEmpty { break }
            headers.append(try HeaderField(parsing: line))
        }
        return RecordedRequest(
            method: words[0],
            target: words[1],
            version: words[2],
            headers: headers,
            connection: number,
            receivedAt: TimeLimit.now
        )
    }
}
