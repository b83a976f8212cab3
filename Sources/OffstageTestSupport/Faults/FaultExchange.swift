// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageCore

/// One request and the means to answer it, for a script. Used only on the connection's thread.
package final class FaultExchange {
    package let request: RecordedRequest
    /// Whether another request may come on the connection once the script has returned.
    package var keepsAlive = true
    private let connection: FaultConnection
    private let index: Int
    private var hasReadBody = false

    init(connection: FaultConnection, request: RecordedRequest, index: Int) {
        self.connection = connection
        self.request = request
        self.index = index
    }

    /// Sends bytes as they are.
    package func send(_ bytes: [UInt8]) throws {
        try LoopbackSocket.send(bytes, to: connection.descriptor)
    }

    package func send(_ text: String) throws {
        try send(Array(text.utf8))
    }

    /// Sends bytes of the body, in counted pieces, at `rate` bytes a second or as fast as possible.
    package func sendBody(_ bytes: ArraySlice<UInt8>, rate: Int? = nil) throws {
        let piece = rate.map { max(1, min(65_536, $0 / 20)) } ?? 262_144
        let begun = TimeLimit.now
        var sent = 0
        var rest = bytes
        while !rest.isEmpty {
            let part = Array(rest.prefix(piece))
            try send(part)
            rest = rest.dropFirst(part.count)
            sent += part.count
            let path = request.path
            connection.state.withLock { $0.bodyBytesSent[path, default: 0] += Int64(part.count) }
            if let rate { try pause(until: begun + Double(sent) / Double(rate)) }
        }
    }

    /// Sends a status line and headers; `Content-Length` only if it is among them.
    package func sendHead(_ status: Int, _ headers: [HeaderField] = [], version: String = "HTTP/1.1") throws {
        var text = "\(version) \(status) Scripted\r\n"
        for header in headers { text += "\(header.name): \(header.value)\r\n" }
        try send(text + "\r\n")
    }

    /// Sends a whole response.
    package func respond(_ status: Int, _ headers: [HeaderField] = [], body: [UInt8] = []) throws {
        try sendHead(status, headers + [HeaderField(name: "Content-Length", value: "\(body.count)")])
        if request.method != "HEAD" { try sendBody(body[...]) }
    }

    /// Sends the 100 that an `Expect` asks for, and reads the body to its end: at `rate` bytes a second or as fast as
    /// it arrives, and no more than `stopAt` bytes. A server that gives no go-ahead sends no 100.
    package func readBody(rate: Int? = nil, stopAt: Int = .max, givesGoAhead: Bool = true) throws {
        guard !hasReadBody else { return }
        hasReadBody = true
        if expectsContinue, givesGoAhead { try send("HTTP/1.1 100 Continue\r\n\r\n") }
        if request.headers["Transfer-Encoding"]?.lowercased() == "chunked" {
            while true {
                guard let size = Int(try connection.receiveLine(), radix: 16) else {
                    throw TestError("A bad chunk came.")
                }
                try read(size, rate: rate)
                _ = try connection.receiveLine()
                if size == 0 { break }
            }
        } else {
            let length = request.headers["Content-Length"].flatMap { Int($0) } ?? 0
            try read(min(length, stopAt), rate: rate)
            if length > stopAt { return }
        }
        let index = index
        connection.state.withLock { $0.requests[index].isWhole = true }
    }

    /// Like `readBody`, but reads beyond each position only when its gate is open. The kernel buffers little beyond it.
    package func readBody(heldAt holds: [(position: Int, gate: FaultGate)]) throws {
        guard !hasReadBody else { return }
        hasReadBody = true
        connection.limitReceiveBuffer()
        if expectsContinue { try send("HTTP/1.1 100 Continue\r\n\r\n") }
        guard let length = request.headers["Content-Length"].flatMap({ Int($0) }) else {
            throw TestError("A body of unknown length came.")
        }
        var position = 0
        for hold in holds where hold.position <= length {
            try read(hold.position - position, rate: nil)
            position = hold.position
            try wait(for: hold.gate)
        }
        try read(length - position, rate: nil)
        let index = index
        connection.state.withLock { $0.requests[index].isWhole = true }
    }

    /// The part of the body read so far.
    package var body: [UInt8] {
        let index = index
        return connection.state.withLock { $0.requests[index].body }
    }

    package var expectsContinue: Bool { request.headers["Expect"]?.lowercased() == "100-continue" }

    /// Sends and reads nothing more until the peer gives up or the server stops.
    package func stall() {
        connection.drainUntilClosed()
        keepsAlive = false
    }

    /// Closes the connection with FIN once the script has returned.
    package func close() { keepsAlive = false }

    /// Resets the connection once the script has returned and the peer has read everything sent to it.
    package func reset() {
        keepsAlive = false
        connection.reset()
    }

    /// Waits for the gate, unless the server stops.
    package func wait(for gate: FaultGate) throws {
        guard gate.waitUntilOpen() else { throw TestError("The gate was not opened.") }
    }

    /// The number of requests for this path so far, including this one.
    package var turn: Int {
        let (path, index) = (request.path, index)
        return connection.state.withLock { $0.requests[...index].count { $0.path == path } }
    }

    /// Pauses, for the pace of a slow server; a stop ends the pause early.
    private func pause(until moment: Double) throws {
        let limit = TimeLimit(seconds: moment - TimeLimit.now)
        if connection.state.wait(limit, until: { $0.isStopping ? true : nil }) == true {
            throw TestError("The server stops.")
        }
    }

    private func read(_ count: Int, rate: Int?) throws {
        let begun = TimeLimit.now
        let piece = rate.map { max(1, min(65_536, $0 / 20)) } ?? 262_144
        var left = count
        let index = index
        while left > 0 {
            let bytes = try connection.receive(upTo: min(left, piece))
            guard !bytes.isEmpty else { throw TestError("The body ended early.") }
            left -= bytes.count
            connection.state.withLock { $0.requests[index].body.append(contentsOf: bytes) }
            if let rate { try pause(until: begun + Double(count - left) / Double(rate)) }
        }
    }
}
