// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageRuntime

/// Queries NetworkManager, over the system's D-Bus, for whether the network is metered: either once, without being
/// woken by changes, or for as long as a transfer depends on it.
///
/// Used on one thread. Does not start a service.
package final class MeterQuestion {
    /// The descriptor to watch for reading.
    package let descriptor: Int32
    /// The last answer; nil if NetworkManager does not run or does not know.
    package private(set) var isMetered: Bool?
    /// Whether the first query was answered, in whatever way.
    package private(set) var isAnswered = false
    /// Whether the bus has ended or misbehaves, or the only answer has arrived.
    package private(set) var hasEnded = false
    /// Whether changes are received and cause another query.
    private let stays: Bool
    /// Whether something has changed since the current query was sent.
    private var isStale = false

    private var arrived: [UInt8] = []
    /// The number of bytes received since the last wait, limited because a bus could send endlessly.
    private var received = 0
    private static let mostReceived = 4 << 20
    private var isAccepted = false
    private var serial: UInt32 = 0
    private var question: UInt32?

    private static let manager = "org.freedesktop.NetworkManager"
    private static let object = "/org/freedesktop/NetworkManager"
    private static let properties = "org.freedesktop.DBus.Properties"
    private static let bus = "org.freedesktop.DBus"
    private static let busObject = "/org/freedesktop/DBus"

    /// Waits for the answer.
    ///
    /// - Parameters:
    ///   - path: the bus's socket.
    ///   - patience: milliseconds after which the answer counts as unknown, whatever else the bus sends.
    /// - Returns: nil if there is no bus, or NetworkManager does not run or does not know.
    package static func ask(path: String, patience: Int32) -> Bool? {
        ask(path: path, patience: patience) { EventLoop.monotonic }
    }

    /// Waits for the answer, using another clock, which returns seconds and does not jump.
    package static func ask(path: String, patience: Int32, now: () -> Double) -> Bool? {
        guard let question = MeterQuestion(path: path, stays: false) else { return nil }
        let end = now() + Double(patience) / 1000  // checked: floating point
        while !question.hasEnded {
            let left = ((end - now()) * 1000).rounded(.up)  // checked: floating point
            var waiting = pollfd(fd: question.descriptor, events: Int16(POLLIN), revents: 0)
            guard left >= 0, poll(&waiting, 1, Int32(nearest: left)) == 1 else { return nil }
            question.readable()
        }
        return question.isMetered
    }

    /// Sends the query, and repeats it whenever something has changed. Does not wait: `readable()` receives the
    /// answers. Nil if there is no bus.
    ///
    /// - Parameter path: the bus's socket.
    package convenience init?(watching path: String) { self.init(path: path, stays: true) }

    private init?(path: String, stays: Bool) {
        self.stays = stays
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC | O_NONBLOCK, 0)
        guard descriptor >= 0 else { return nil }
        guard Self.connect(descriptor, path), introduce() else { return nil }
    }

    deinit {
        // A failed init also gets here, because all properties are set by then.
        if descriptor >= 0 { close(descriptor) }
    }

    /// Handles received bytes.
    package func readable() {
        if stays { received = 0 }
        withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 1) { buffer in
            while !hasEnded {
                let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
                if count > 0 {
                    arrived += buffer[..<count]
                    received += count  // checked: it ends above `mostReceived`
                    handleArrived()
                    if received > Self.mostReceived { hasEnded = true }
                } else if count < 0, errno == EINTR {
                    continue
                } else {
                    if count == 0 || errno != EAGAIN { hasEnded = true }
                    return
                }
            }
        }
        if hasEnded, stays { isMetered = nil }
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

    /// Sends the greeting and all requests at once; the bus reads them in its own time.
    private func introduce() -> Bool {
        let user = String(geteuid()).utf8.map { "3" + String(UnicodeScalar($0)) }.joined()
        var bytes = Array("\0AUTH EXTERNAL \(user)\r\nBEGIN\r\n".utf8)
        bytes.append(contentsOf: call(Self.bus, Self.busObject, Self.bus, "Hello"))
        if stays {
            for rule in Self.rules {
                bytes.append(contentsOf: call(Self.bus, Self.busObject, Self.bus, "AddMatch", [rule]))
            }
        }
        bytes.append(contentsOf: get())
        return send(bytes)
    }

    /// The query itself.
    private func get() -> [UInt8] {
        let get = call(Self.manager, Self.object, Self.properties, "Get", [Self.manager, "Metered"])
        question = serial
        isStale = false
        return get
    }

    /// The subscriptions: NetworkManager's properties, and its start and end.
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

    /// Sends bytes. They are far fewer than a socket holds: if it does not accept them, they are not being read.
    private func send(_ bytes: [UInt8]) -> Bool {
        Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    private func handleArrived() {
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
            switch BusMessage.parseFirst(from: arrived) {
            case .incomplete: return
            case .broken: hasEnded = true
            case .message(let message, let length):
                arrived.removeFirst(length)
                if let message { handle(message) }
            }
        }
    }

    private func handle(_ message: BusMessage) {
        if stays, message.kind == .signal, message.member != "NameAcquired" {
            isStale = true
            askAgain()
        }
        guard let question, message.replySerial == question, message.kind == .reply || message.kind == .error else {
            return
        }
        isMetered = message.kind == .reply ? message.variantNumber.flatMap(Self.isMetered) : nil
        isAnswered = true
        self.question = nil
        if stays { askAgain() } else { hasEnded = true }
    }

    /// Repeats the query if something has changed since: only one at a time, however much changes.
    private func askAgain() {
        guard isStale, question == nil else { return }
        if !send(get()) { hasEnded = true }
    }

    /// NetworkManager's `NMMetered`; a guess counts as knowledge.
    package static func isMetered(_ value: UInt32) -> Bool? {
        switch value {
        case 1, 3: true
        case 2, 4: false
        default: nil
        }
    }
}
