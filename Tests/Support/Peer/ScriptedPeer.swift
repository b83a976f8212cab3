// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageProtocol
import OffstageTestSupport
import Synchronization

/// The other end of a connection: a Unix socket that answers each request as scripted, one connection at a time.
///
/// Real behaviour is tested with the real daemon; this end also does what the daemon never would.
package final class ScriptedPeer: Sendable {
    /// What to do with one request.
    package enum Step: Sendable {
        case reply([UInt8])
        case refuse(WireFailure)
        case event(TransferEvent)
        /// Any bytes at all.
        case raw([UInt8])
        case close
        /// A reply that is sent after the replies to the next request.
        case replyLater([UInt8])
        /// Code that runs once the previous steps have been sent.
        case run(@Sendable () -> Void)
    }

    package typealias Script = @Sendable (_ connection: Int, _ name: String, _ payload: [UInt8]) throws -> [Step]

    private let listener: Int32
    private let seen = Mutex<[String]>([])

    /// Starts listening where the daemon of this `OFFSTAGE_HOME` would.
    package init(home: String, _ script: @escaping Script) throws {
        mkdir(home, 0o700)
        mkdir(home + "/run", 0o700)
        listener = try Self.listen(home + "/run/daemon.sock")
        let listener = listener
        try TestThread.start { [weak self] in
            // Closed only here: by the time this thread looks again, the number could be another test's.
            defer { close(listener) }
            var number = 0
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                number += 1
                Self.serve(client, number, script) { name in self?.seen.withLock { $0.append(name) } }
                close(client)
            }
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// The names of the received requests, in order.
    package var requests: [String] { seen.withLock { $0 } }

    /// The bytes of a reply.
    package static func reply(_ value: some Encodable) throws -> Step { .reply(try WireCoding.encode(value)) }

    /// The answer to the handshake.
    package static func hello(version: OffstageVersion = .current) throws -> [Step] {
        [try reply(Hello.Reply(version: version, protocolVersion: Hello.protocolVersion, processID: getpid()))]
    }

    private static func serve(_ client: Int32, _ number: Int, _ script: Script, _ note: (String) -> Void) {
        var decoder = FrameDecoder()
        let limit = TimeLimit(seconds: 60)
        var later: [[UInt8]] = []
        while let bytes = try? LoopbackSocket.receive(client, limit: limit), !bytes.isEmpty {
            decoder.append(bytes)
            while let frame = try? decoder.next() {
                note(frame.name)
                guard let steps = try? script(number, frame.name, frame.payload) else { return }
                let overdue = later
                later = []
                for step in steps {
                    if case .run(let action) = step {
                        action()
                        continue
                    }
                    guard let bytes = encoded(step, exchange: frame.exchange) else { return }
                    if case .replyLater = step {
                        later.append(bytes)
                    } else if (try? LoopbackSocket.send(bytes, to: client)) == nil {
                        return
                    }
                }
                for bytes in overdue where (try? LoopbackSocket.send(bytes, to: client)) == nil { return }
            }
        }
    }

    /// Nil to close the connection.
    private static func encoded(_ step: Step, exchange: UInt32) -> [UInt8]? {
        switch step {
        case .reply(let payload), .replyLater(let payload):
            WireFrame(kind: .reply, exchange: exchange, payload: payload).encoded()
        case .refuse(let failure):
            (try? WireCoding.encode(failure)).map {
                WireFrame(kind: .failure, exchange: exchange, payload: $0).encoded()
            }
        case .event(let event):
            (try? WireCoding.encode(event)).map {
                WireFrame(kind: .event, exchange: 0, name: TransferEvent.name, payload: $0).encoded()
            }
        case .raw(let bytes): bytes
        case .close, .run: nil
        }
    }

    private static func listen(_ path: String) throws -> Int32 {
        unlink(path)
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw TestError.system("No socket can be made") }
        var place = sockaddr_un()
        place.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        withUnsafeMutableBytes(of: &place.sun_path) { $0.copyBytes(from: bytes) }
        let code = withUnsafePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard code == 0, Glibc.listen(descriptor, 16) == 0 else {
            throw TestError.system("Nothing can listen on \(path)")
        }
        return descriptor
    }
}
