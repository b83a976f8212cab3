// SPDX-License-Identifier: Apache-2.0
import DropboxEmulator
import Glibc
import OffstageTestSupport

/// One HTTP/1.1 connection to the emulator, operated by hand so that a test decides when it breaks.
final class EmulatorClient {
    struct Answer {
        var status = 0
        /// Names in lower case.
        var headers: [String: String] = [:]
        var body: [UInt8] = []

        var json: EmulatorJSON { EmulatorJSON(parsing: body) ?? .null }
        var text: String { String(decoding: body, as: UTF8.self) }
    }

    private let descriptor: Int32
    private let server: DropboxEmulatorServer
    private var buffer: [UInt8] = []
    private let limit = TimeLimit(seconds: 30)

    init(_ server: DropboxEmulatorServer) throws {
        self.server = server
        descriptor = try LoopbackSocket.connect(port: server.port)
    }

    deinit { close(descriptor) }

    /// Sends a head with the length of a body.
    func sendHead(_ method: String, _ path: String, headers: [String: String] = [:], length: Int) throws {
        var text = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: \(length)\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        try LoopbackSocket.send(Array((text + "\r\n").utf8), to: descriptor)
    }

    func send(_ bytes: [UInt8]) throws {
        try LoopbackSocket.send(bytes, to: descriptor)
    }

    /// Sends a call whose argument is in a header, without its body.
    func sendCall(_ route: EmulatorRoute, _ argument: EmulatorJSON, token: String, length: Int) throws {
        let headers = [
            "Authorization": "Bearer \(token)", "Content-Type": "application/octet-stream",
            "Dropbox-API-Arg": argument.headerText,
        ]
        try sendHead("POST", "/2/\(route.rawValue)", headers: headers, length: length)
    }

    /// Sends a call with its body, and returns its answer; nil if the connection is closed without one.
    func call(
        _ route: EmulatorRoute,
        _ argument: EmulatorJSON,
        token: String,
        _ body: [UInt8] = []
    ) throws -> Answer? {
        try sendCall(route, argument, token: token, length: body.count)
        // The server may hang up before it has read everything, as some tests intend.
        try? send(body)
        return try answer()
    }

    /// A request of any other kind.
    func request(_ method: String, _ path: String, _ body: String = "") throws -> Answer? {
        try sendHead(method, path, length: body.utf8.count)
        try send(Array(body.utf8))
        return try answer()
    }

    /// Reads an answer; nil if the connection ends before the head is complete.
    func answer() throws -> Answer? {
        let end = Array("\r\n\r\n".utf8)
        while buffer.firstRange(of: end) == nil {
            guard try receive() else { return nil }
        }
        guard let head = buffer.firstRange(of: end) else { return nil }
        let lines = String(decoding: buffer[..<head.lowerBound], as: UTF8.self).split(separator: "\r\n")
        buffer.removeSubrange(..<head.upperBound)
        var answer = Answer()
        answer.status = lines.first.flatMap { Int($0.split(separator: " ")[1]) } ?? 0
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            answer.headers[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
        }
        let length = answer.headers["content-length"].flatMap { Int($0) } ?? 0
        while buffer.count < length {
            guard try receive() else { throw TestError("The answer ended after \(buffer.count) of \(length) bytes.") }
        }
        answer.body = Array(buffer.prefix(length))
        buffer.removeSubrange(..<length)
        return answer
    }

    private func receive() throws -> Bool {
        guard let bytes = try LoopbackSocket.receive(descriptor, upTo: 1 << 20, limit: limit) else {
            throw TestError("The emulator did not answer in time.")
        }
        buffer += bytes
        return !bytes.isEmpty
    }
}
