// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageProtocol

/// One connection to the daemon: requests are answered one after the other, events that arrive in between are kept.
///
/// Blocking, for one thread. A caller that has other things to wait for polls `fileDescriptor` and then calls
/// `receive()` and `takeEvent()`.
package final class DaemonConnection {
    /// What the daemon said of itself.
    package let daemon: Hello.Reply

    private let wire: Wire
    private var nextExchange: UInt32 = 2

    /// Shakes hands over a connected socket.
    ///
    /// - Parameters:
    ///   - socket: connected; closed when the connection goes.
    ///   - path: where it leads, for messages.
    ///   - client: what connects, for the daemon's log.
    ///   - patience: seconds to wait for each answer.
    ///   - greeting: seconds to wait for the first.
    ///   - silence: what is called while it is still waited for, after so many seconds.
    /// - Throws: what the daemon refuses, `.connectionLost`, `.timedOut`.
    init(
        _ socket: consuming UnixSocket,
        path: String,
        client: String,
        patience: Double,
        greeting: Double,
        silence: (after: Double, tell: () -> Void)
    ) throws(OffstageError) {
        wire = Wire(socket, path: path, patience: patience)
        try wire.ask(Hello(client: client), number: 1)
        let start = Wire.seconds()
        if silence.after < greeting, try !wire.wait(seconds: silence.after) { silence.tell() }
        daemon = try wire.answer(to: 1, as: Hello.Reply.self, within: max(0, start + greeting - Wire.seconds()))
    }

    /// Becomes readable when something has come or the daemon has gone.
    package var fileDescriptor: Int32 { wire.descriptor }

    /// Asks and waits for the answer.
    ///
    /// - Parameters:
    ///   - request: what is asked.
    ///   - seconds: how long its answer is waited for; nil for as long as any.
    /// - Returns: the answer.
    /// - Throws: the daemon's refusal, `.connectionLost`, `.timedOut`.
    package func send<R: WireRequest>(_ request: R, within seconds: Double? = nil) throws(OffstageError) -> R.Reply {
        let number = nextExchange
        nextExchange = number == .max ? 2 : number + 1
        return try wire.exchange(request, number: number, within: seconds)
    }

    /// A question that has been asked, with the answer still to be waited for.
    package struct Asked<Request: WireRequest>: Sendable {
        fileprivate let number: UInt32
    }

    /// Asks, and leaves the caller to do something else before it waits for the answer.
    package func ask<R: WireRequest>(_ request: R) throws(OffstageError) -> Asked<R> {
        let number = nextExchange
        nextExchange = number == .max ? 2 : number + 1
        try wire.ask(request, number: number)
        return Asked(number: number)
    }

    /// Waits for the answer to what was asked.
    package func answer<R: WireRequest>(to asked: Asked<R>) throws(OffstageError) -> R.Reply {
        try wire.answer(to: asked.number, as: R.Reply.self)
    }

    /// Asks; the answer comes among `takeFrames()` and bears the number that is returned.
    package func post(_ request: some WireRequest) throws(OffstageError) -> UInt32 {
        let number = nextExchange
        nextExchange = number == .max ? 2 : number + 1
        try wire.post(request, number: number)
        return number
    }

    /// Says that the journal has new records.
    package func ring() throws(OffstageError) { try wire.ring(Ring.name) }

    /// Sends a request that has no answer.
    func tell(_ name: String, _ payload: [UInt8]) throws(OffstageError) { try wire.ring(name, payload: payload) }

    /// The answers to posted requests and the events of sessions that have been received, in order.
    package func takeFrames() -> [WireFrame] { wire.takeFrames() }

    /// The descriptor that came with the last answer, which is then the caller's.
    func takeDescriptor() -> Int32? { wire.takeDescriptor() }

    /// Takes in what has come, waiting until there is something.
    package func receive() throws(OffstageError) { try wire.receive() }

    /// The oldest event that has been received and not taken yet.
    package func takeEvent() -> TransferEvent? { wire.takeEvent() }

    /// The next event; nil when none came within so many seconds.
    package func nextEvent(timeout: Double) throws(OffstageError) -> TransferEvent? {
        let end = Wire.seconds() + timeout
        while true {
            if let event = wire.takeEvent() { return event }
            guard try wire.wait(seconds: end - Wire.seconds()) else { return nil }
            try wire.receive()
        }
    }

    /// Waits until the daemon closes the connection.
    package func waitUntilClosed(seconds: Double) throws(OffstageError) {
        let end = Wire.seconds() + seconds
        while true {
            guard try wire.wait(seconds: end - Wire.seconds()) else { throw wire.timeOut("it should have let go") }
            do throws(OffstageError) {
                try wire.receive()
            } catch {
                if error.code == .connectionLost { return }
                throw error
            }
        }
    }
}
