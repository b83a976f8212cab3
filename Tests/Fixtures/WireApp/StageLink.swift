// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageProtocol

/// The stage link by hand: one socket, frames in and out. Blocking.
final class StageLink {
    let descriptor: Int32
    private var decoder = FrameDecoder()

    /// Connects; nil if no daemon listens.
    init?(path: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes.prefix($0.count - 1)) }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) }
        }
        self.descriptor = descriptor
        if result != 0 { return nil }
    }

    deinit { close(descriptor) }

    /// Sends a request and waits for the answer; nil if the daemon is gone.
    ///
    /// - Throws: `WireFailure` if the daemon refuses.
    func ask<Request: WireRequest>(_ request: Request) throws -> Request.Reply? {
        guard try send(Request.name, exchange: 1, WireCoding.encode(request)) else { return nil }
        while let frame = try next() {
            if frame.kind == .failure { throw try WireCoding.decode(WireFailure.self, from: frame.payload) }
            if frame.kind == .reply { return try WireCoding.decode(Request.Reply.self, from: frame.payload) }
        }
        return nil
    }

    @discardableResult
    func report(_ report: StageReport) throws -> Bool {
        try send(StageReport.name, exchange: 0, WireCoding.encode(report))
    }

    /// The next complete frame; nil if the daemon is gone.
    func next() throws -> WireFrame? {
        while true {
            if let frame = try decoder.next() { return frame }
            guard receive() else { return nil }
        }
    }

    /// A frame that has already been read.
    func buffered() throws -> WireFrame? { try decoder.next() }

    /// Reads once; false if the daemon is gone.
    func receive() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        if count > 0 { bytes[..<count].withUnsafeBufferPointer { decoder.append($0) } }
        return count > 0 || (count < 0 && errno == EINTR)
    }

    private func send(_ name: String, exchange: UInt32, _ payload: [UInt8]) throws -> Bool {
        let bytes = WireFrame(kind: .request, exchange: exchange, name: name, payload: payload).encoded()
        return Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }
}
