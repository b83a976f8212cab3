// SPDX-License-Identifier: Apache-2.0
import COffstageBus
import Glibc
import OffstageCore
import OffstageProtocol

/// The desktop's notifications, as defined by org.freedesktop.Notifications
/// (<https://specifications.freedesktop.org/notification-spec/latest/>). One thread.
final class SessionBus {
    /// The response of a person, or of the desktop, to a notification.
    struct Said {
        enum What {
            case chosen(String)
            case dismissed
            case gone
            /// Another server has taken over; its numbers start over.
            case restarted
        }

        /// The notification's number; 0 for none.
        var id: UInt32
        var what: What
    }

    struct Trouble: Error, CustomStringConvertible {
        var sentence: String
        var description: String { sentence }
    }

    /// The identifier of a click on the notification itself.
    static let defaultAction = "default"

    /// The events received by the listener and not yet taken.
    private final class Ear { var said: [Said] = [] }

    private let ear = Ear()
    private let bus: OpaquePointer

    init() throws(Trouble) {
        var bus: OpaquePointer?
        let status = offstage_bus_open(
            { context, id, action, reason in
                guard let context else { return }
                let ear = Unmanaged<Ear>.fromOpaque(context).takeUnretainedValue()
                if let action {
                    ear.said.append(Said(id: id, what: .chosen(String(cString: action))))
                } else {
                    ear.said.append(Said(id: id, what: Said.What(reason)))
                }
            },
            Unmanaged.passUnretained(ear).toOpaque(),
            &bus
        )
        guard status >= 0, let bus else {
            throw Trouble(sentence: "the session bus cannot be reached: \(String(cString: strerror(-status)))")
        }
        self.bus = bus
    }

    deinit { offstage_bus_close(bus) }

    var descriptor: Int32 { offstage_bus_descriptor(bus) }
    /// The events to poll the descriptor for.
    var events: Int16 { Int16(clamping: max(0, offstage_bus_events(bus))) }
    /// In milliseconds; -1 for no timeout.
    var timeout: Int32 { offstage_bus_timeout(bus) }

    /// - Throws: if the bus is gone.
    func process() throws(Trouble) {
        let status = offstage_bus_process(bus)
        if status < 0 { throw Trouble(sentence: "the session bus has gone: \(String(cString: strerror(-status)))") }
    }

    func takeSaid() -> [Said] {
        defer { ear.said = [] }
        return ear.said
    }

    /// Shows a notification. Returns the desktop's number for it.
    ///
    /// Waits for the desktop: 5 s at most, and as long again while it is unknown whether it supports markup. Take the
    /// events received until then before using the number: it may be another server's.
    func show(_ notification: DesktopNotification) -> Result<UInt32, Trouble> {
        // What ends a C string ends a line as well.
        let click = notification.opensApp ? [Self.defaultAction, "Open"] : []
        let words = click + notification.actions.flatMap { [$0.identifier, $0.title] }
        var actions: [UnsafePointer<CChar>?] = words.map { UnsafePointer(strdup($0)) } + [nil]
        defer { for action in actions { free(UnsafeMutablePointer(mutating: action)) } }
        var id: UInt32 = 0
        var why = [CChar](repeating: 0, count: 256)
        let status = offstage_bus_notify(
            bus,
            notification.appName,
            notification.title,
            notification.body,
            &actions,
            notification.urgency,
            notification.isSilent ? 1 : 0,
            &id,
            &why,
            why.count
        )
        if status >= 0 { return .success(id) }
        let text = String(decoding: why.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return .failure(Trouble(sentence: "the desktop did not show it: \(text)"))
    }

    func withdraw(_ id: UInt32) { _ = offstage_bus_withdraw(bus, id) }
}

extension SessionBus.Said.What {
    /// - Parameter reason: the reason of the closing, as in `offstage_bus_listener`.
    fileprivate init(_ reason: UInt32) {
        switch reason {
        case 0: self = .restarted
        case 2: self = .dismissed
        default: self = .gone
        }
    }
}
