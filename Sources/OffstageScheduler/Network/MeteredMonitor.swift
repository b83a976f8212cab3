// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Hears from NetworkManager, over the system's D-Bus, whether somebody pays for what goes over the network.
///
/// Used on one thread; never waits: the answer comes as something to be read. Starts no service.
package final class MeteredMonitor {
    /// To be watched for reading.
    package let descriptor: Int32
    /// Nil while it is not known, or NetworkManager does not run.
    package private(set) var isMetered: Bool?
    /// Whether the bus has gone, or does not speak as it should: nothing is heard any more.
    package private(set) var hasEnded = false

    private var arrived: [UInt8] = []
    private var isAccepted = false
    private var serial: UInt32 = 0
    /// The question whose answer counts: an earlier one's may be out of date.
    private var question: UInt32?

    private static let manager = "org.freedesktop.NetworkManager"
    private static let object = "/org/freedesktop/NetworkManager"
    private static let properties = "org.freedesktop.DBus.Properties"
    private static let bus = "org.freedesktop.DBus"

    /// Nil where there is no bus.
    ///
    /// - Parameter path: the bus's socket.
    package init?(path: String = "/run/dbus/system_bus_socket") {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC | O_NONBLOCK, 0)
        guard descriptor >= 0 else { return nil }
        guard Self.connect(descriptor, path), introduce() else { return nil }
    }

    deinit {
        // A failed init comes here as well, since every property is set by then.
        if descriptor >= 0 { close(descriptor) }
    }

    /// Takes in what has arrived.
    ///
    /// - Returns: whether the answer has changed.
    package func readable() -> Bool {
        let before = isMetered
        withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 1) { buffer in
            while !hasEnded {
                let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
                if count > 0 {
                    arrived += buffer[..<count]
                    takeArrived()
                } else if count < 0, errno == EINTR {
                    continue
                } else {
                    if count == 0 || errno != EAGAIN { end() }
                    return
                }
            }
        }
        return isMetered != before
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
        for rule in Self.rules { bytes += call(Self.bus, "/org/freedesktop/DBus", Self.bus, "AddMatch", [rule]) }
        return send(bytes + ask())
    }

    private static let rules = [
        "type='signal',sender='\(manager)',path='\(object)',interface='\(properties)',member='PropertiesChanged'",
        "type='signal',sender='\(bus)',interface='\(bus)',member='NameOwnerChanged',arg0='\(manager)'",
    ]

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

    private func ask() -> [UInt8] {
        let bytes = call(Self.manager, Self.object, Self.properties, "Get", [Self.manager, "Metered"])
        question = serial
        return bytes
    }

    /// What is sent is far less than a socket holds: one that does not take it is not read by anybody.
    private func send(_ bytes: [UInt8]) -> Bool {
        Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    private func end() {
        hasEnded = true
        isMetered = nil
        arrived = []
    }

    private func takeArrived() {
        if !isAccepted {
            guard let lineEnd = arrived.firstIndex(of: UInt8(ascii: "\n")) else {
                if arrived.count > 1024 { end() }
                return
            }
            guard arrived.starts(with: "OK ".utf8) else { return end() }
            isAccepted = true
            arrived.removeFirst(lineEnd + 1)
        }
        while !hasEnded {
            switch BusMessage.take(from: arrived) {
            case .incomplete: return
            case .broken: end()
            case .message(let message, let length):
                arrived.removeFirst(length)
                if let message { note(message) }
            }
        }
    }

    private func note(_ message: BusMessage) {
        switch message.kind {
        case .reply where message.replySerial == question:
            isMetered = message.variantNumber.flatMap(Self.isMetered)
        case .error where message.replySerial == question:
            isMetered = nil
        case .signal where message.member == "NameOwnerChanged" || message.concernsMeter:
            if !send(ask()) { end() }
        default: break
        }
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

extension BusMessage {
    /// Whether a change of properties names the one in question: others change all day.
    fileprivate var concernsMeter: Bool {
        guard member == "PropertiesChanged" else { return false }
        let name = Array("Metered\0".utf8)
        return body.indices.contains { body[$0...].starts(with: name) }
    }
}
