// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Asks NetworkManager, over the system's D-Bus, whether somebody pays for what goes over the network. Once: nothing is
/// subscribed to, so that no change of the network wakes anybody.
///
/// Used on one thread. Starts no service.
package final class MeterQuestion {
    private let descriptor: Int32
    private var isMetered: Bool?
    /// Whether there is an answer, the bus has gone, or it does not speak as it should.
    private var hasEnded = false

    private var arrived: [UInt8] = []
    /// All bytes that have come: a bus that talks without end is not listened to without end.
    private var received = 0
    private static let mostReceived = 4 << 20
    private var isAccepted = false
    private var serial: UInt32 = 0
    private var question: UInt32?

    private static let manager = "org.freedesktop.NetworkManager"
    private static let object = "/org/freedesktop/NetworkManager"
    private static let properties = "org.freedesktop.DBus.Properties"
    private static let bus = "org.freedesktop.DBus"

    /// Waits for the answer.
    ///
    /// - Parameters:
    ///   - path: the bus's socket.
    ///   - patience: milliseconds of silence after which nothing is known.
    /// - Returns: nil where there is no bus, or NetworkManager does not run or does not know.
    package static func ask(path: String, patience: Int32) -> Bool? {
        guard let question = MeterQuestion(path: path) else { return nil }
        while !question.hasEnded {
            var waiting = pollfd(fd: question.descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, patience) == 1 else { return nil }
            question.readable()
        }
        return question.isMetered
    }

    private init?(path: String) {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC | O_NONBLOCK, 0)
        guard descriptor >= 0 else { return nil }
        guard Self.connect(descriptor, path), introduce() else { return nil }
    }

    deinit {
        // A failed init comes here as well, since every property is set by then.
        if descriptor >= 0 { close(descriptor) }
    }

    private func readable() {
        withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 1) { buffer in
            while !hasEnded {
                let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
                if count > 0 {
                    arrived += buffer[..<count]
                    received += count  // checked: it ends above `mostReceived`
                    takeArrived()
                    if received > Self.mostReceived { hasEnded = true }
                } else if count < 0, errno == EINTR {
                    continue
                } else {
                    if count == 0 || errno != EAGAIN { hasEnded = true }
                    return
                }
            }
        }
    }

    private static func connect(_ descriptor: Int32, _ path: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { place in
            guard path.utf8.count < place.count else { return false }
            place.copyBytes(from: path.utf8)
            return true
        }
        guard fits else { return false }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }

    /// Says who this is and asks for everything in one piece: the bus reads it in its own time.
    private func introduce() -> Bool {
        let user = String(geteuid()).utf8.map { "3" + String(UnicodeScalar($0)) }.joined()
        var bytes = Array("\0AUTH EXTERNAL \(user)\r\nBEGIN\r\n".utf8)
        bytes += call(Self.bus, "/org/freedesktop/DBus", Self.bus, "Hello")
        let get = call(Self.manager, Self.object, Self.properties, "Get", [Self.manager, "Metered"])
        question = serial
        return send(bytes + get)
    }

    private func call(
        _ destination: String,
        _ path: String,
        _ interface: String,
        _ member: String,
        _ arguments: [String] = []
    ) -> [UInt8] {
        serial &+= 1
        return BusMessage(
            serial: serial,
            destination: destination,
            path: path,
            interface: interface,
            member: member,
            arguments: arguments
        ).encoded
    }

    /// What is sent is far less than a socket holds: one that does not take it is not read by anybody.
    private func send(_ bytes: [UInt8]) -> Bool {
        Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    private func takeArrived() {
        if !isAccepted {
            guard let lineEnd = arrived.firstIndex(of: UInt8(ascii: "\n")) else {
                if arrived.count > 1024 { hasEnded = true }
                return
            }
            guard arrived.starts(with: "OK ".utf8) else {
                hasEnded = true
                return
            }
            isAccepted = true
            arrived.removeFirst(lineEnd + 1)
        }
        while !hasEnded {
            switch BusMessage.take(from: arrived) {
            case .incomplete: return
            case .broken: hasEnded = true
            case .message(let message, let length):
                arrived.removeFirst(length)
                if let message { note(message) }
            }
        }
    }

    private func note(_ message: BusMessage) {
        guard message.replySerial == question, message.kind == .reply || message.kind == .error else { return }
        if message.kind == .reply { isMetered = message.variantNumber.flatMap(Self.isMetered) }
        hasEnded = true
    }

    /// NetworkManager's `NMMetered`: what it guesses counts as what it knows.
    package static func isMetered(_ value: UInt32) -> Bool? {
        switch value {
        case 1, 3: true
        case 2, 4: false
        default: nil
        }
    }
}
