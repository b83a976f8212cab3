// SPDX-License-Identifier: Apache-2.0
import Offstage

/// What the library does to re-attach, with a time for each page: `docs/wire-protocol.md` by hand.
enum Pages {
    static func run(socket path: String, identifier: String) throws {
        let wire = try Wire(path)
        _ = try wire.ask(
            "hello",
            #"{"version":{"major":0,"minor":1,"patch":0},"protocolVersion":\#(Self.protocolVersion),"client":"bench"}"#
        )
        _ = try wire.ask("app.open", "{}")
        let began = now()
        _ = try wire.ask("session.open", #"{"identifier":"\#(identifier)"}"#)
        var pages: [Double] = []
        var count = 0
        var last = 0
        while true {
            let answer = try wire.ask("session.tasks", #"{"identifier":"\#(identifier)","after":\#(last)}"#)
            pages.append(now() - began)
            let page = Page(Array(answer))
            count += page.count
            guard page.hasMore else { break }
            last = page.lastTask
        }
        try report(["count": count, "first": pages[0], "all": pages[pages.count - 1], "pages": pages.count])
    }

    private static let protocolVersion = 1
}

/// As much of a page as leads to the next one.
private struct Page {
    let hasMore: Bool
    let count: Int
    private(set) var lastTask = 0

    init(_ bytes: [UInt8]) {
        var rest = bytes[...]
        func integer(_ length: Int) -> Int {
            defer { rest = rest.dropFirst(length) }
            return rest.prefix(length).reduce(0) { $0 << 8 | Int($1) }
        }
        hasMore = integer(1) != 0
        count = integer(4)
        for _ in 0..<count {
            _ = integer(8)
            lastTask = integer(8)
            let nameLength = integer(1)
            rest = rest.dropFirst(nameLength)
            let length = integer(4)
            rest = rest.dropFirst(length)
        }
    }
}

/// One connection that asks and waits.
final class Wire {
    private let descriptor: Int32
    private var exchange: UInt32 = 0

    init(_ path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw BenchError(text: "\(path) does not answer") }
    }

    func ask(_ name: String, _ payload: String) throws -> Data {
        exchange += 1
        var frame: [UInt8] = []
        frame += bytes(UInt32(6 + name.utf8.count + payload.utf8.count))
        frame.append(1)
        frame += bytes(exchange)
        frame.append(UInt8(name.utf8.count))
        frame += Array(name.utf8) + Array(payload.utf8)
        guard write(descriptor, frame, frame.count) == frame.count else { throw BenchError(text: "cannot write") }
        while true {
            let length = Int(try receive(4).reduce(0) { $0 << 8 | UInt32($1) })
            let body = try receive(length)
            let number = body[1..<5].reduce(0) { $0 << 8 | UInt32($1) }
            let rest = Data(body[(6 + Int(body[5]))...])
            if body[0] == 3 { throw BenchError(text: "\(name): \(String(decoding: rest, as: UTF8.self))") }
            if body[0] == 2, number == exchange { return rest }
        }
    }

    private func bytes(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> UInt32($0)) }
    }

    private func receive(_ count: Int) throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = buffer.withUnsafeMutableBytes {
                read(descriptor, $0.baseAddress?.advanced(by: filled), count - filled)
            }
            guard got > 0 else { throw BenchError(text: "the daemon hung up") }
            filled += got
        }
        return buffer
    }
}
