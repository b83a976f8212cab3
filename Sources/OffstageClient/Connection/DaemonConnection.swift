// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageProtocol

/// A connection to the daemon. Requests are answered in order; events that arrive in between are kept.
///
/// Blocking, for one thread. A caller that also waits for other things polls `fileDescriptor` and then calls
/// `receive()` and `takeEvent()`.
package final class DaemonConnection {
    /// The daemon's answer to the handshake.
    package let daemon: Hello.Reply

    private let wire: Wire
    private var nextExchange: UInt32 = 2

    /// Performs the handshake over a connected socket.
    ///
    /// - Parameters:
    ///   - socket: a connected socket, which is closed with the connection.
    ///   - path: the socket's path, for messages.
    ///   - client: the name of the connecting program, for the daemon's log.
    ///   - patience: seconds to wait for each answer.
    ///   - greeting: seconds to wait for the first answer.
    ///   - interruption: ends every wait.
    ///   - silence: called while the first answer is still missing, and after how many seconds.
    /// - Throws: the daemon's refusal, `.connectionLost`, `.timedOut`, `.interrupted`.
    init(
        _ socket: consuming UnixSocket,
        path: String,
        client: String,
        patience: Double,
        greeting: Double,
        interruption: Interruption,
        silence: (after: Double, tell: () -> Void)
    ) throws(OffstageError) {
        wire = Wire(socket, path: path, patience: patience)
        wire.interruption = interruption
        try wire.ask(Hello(client: client), number: 1)
        let start = Wire.seconds()
        if silence.after < greeting, try !wire.wait(seconds: silence.after) { silence.tell() }
        daemon = try wire.answer(to: 1, as: Hello.Reply.self, within: max(0, start + greeting - Wire.seconds()))
    }

    /// Becomes readable when data has arrived or the daemon is gone.
    package var fileDescriptor: Int32 { wire.descriptor }

    /// Ends every wait for an answer with `.interrupted`; the connection is unusable after that.
    package var interruption: Interruption {
        get { wire.interruption }
        set { wire.interruption = newValue }
    }

    private func takeExchange() -> UInt32 {
        defer { nextExchange = nextExchange == .max ? 2 : nextExchange + 1 }
        return nextExchange
    }

    /// Sends a request and waits for the answer.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - seconds: how long to wait for the answer; nil for the usual time.
    /// - Returns: the answer.
    /// - Throws: the daemon's refusal, `.connectionLost`, `.timedOut`.
    package func send<R: WireRequest>(_ request: R, within seconds: Double? = nil) throws(OffstageError) -> R.Reply {
        let number = takeExchange()
        return try wire.exchange(request, number: number, within: seconds)
    }

    /// A request that has been sent but not answered yet.
    package struct Asked<Request: WireRequest>: Sendable {
        fileprivate let number: UInt32
    }

    /// Sends a request; the caller may do something else before waiting for the answer.
    package func ask<R: WireRequest>(_ request: R) throws(OffstageError) -> Asked<R> {
        let number = takeExchange()
        try wire.ask(request, number: number)
        return Asked(number: number)
    }

    /// Waits for the answer to a request that has been sent.
    package func answer<R: WireRequest>(to asked: Asked<R>) throws(OffstageError) -> R.Reply {
        try wire.answer(to: asked.number, as: R.Reply.self)
    }

    /// Sends a request; its answer is among `takeFrames()`, with the returned number.
    package func post(_ request: some WireRequest) throws(OffstageError) -> UInt32 {
        let number = takeExchange()
        try wire.post(request, number: number)
        return number
    }

    /// Reserves a number for a request to be sent later; its answer is among `takeFrames()`.
    package func expectAnswer() -> UInt32 {
        let number = takeExchange()
        wire.expect(number)
        return number
    }

    /// Sends as many bytes as the socket accepts, without waiting; nil if the daemon is gone.
    package func sendAvailable(_ bytes: ArraySlice<UInt8>) -> Int? { wire.sendAvailable(bytes) }

    /// The error for a daemon that has not answered within a number of seconds.
    func lateness(_ seconds: Double) -> OffstageError { wire.lateness(seconds) }

    /// Reports that the journal has new records.
    package func ring() throws(OffstageError) { try wire.ring(Ring.name) }

    /// Takes the received answers to posted requests and the sessions' events, in order.
    package func takeFrames() -> [WireFrame] { wire.takeFrames() }

    /// Takes the descriptor that came with the last answer; the caller then owns it.
    func takeDescriptor() -> Int32? { wire.takeDescriptor() }

    /// Reads the data that has arrived, waiting until there is some.
    package func receive() throws(OffstageError) { try wire.receive() }

    /// Takes the oldest received event that has not been taken yet.
    package func takeEvent() -> TransferEvent? { wire.takeEvent() }

    /// Waits until the daemon closes the connection.
    package func waitUntilClosed(seconds: Double) throws(OffstageError) {
        let end = Wire.seconds() + seconds
        while true {
            guard try wire.wait(seconds: end - Wire.seconds()) else {
                throw wire.timeOut("it should have closed the connection")
            }
            do throws(OffstageError) {
                try wire.receive()
            } catch {
                if error.code == .connectionLost { return }
                throw error
            }
        }
    }
}
