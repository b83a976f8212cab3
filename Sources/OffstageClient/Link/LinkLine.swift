// SPDX-License-Identifier: Apache-2.0
import OffstageCore
package import OffstageProtocol

/// One connection of an app's link, as its users see it: the exchange numbers, and who waits for which answer.
///
/// For the link's thread only. Nothing here blocks: what the socket does not accept at once is sent when it does.
package final class LinkLine {
    typealias Answer = (Result<[UInt8], OffstageError>) -> Void

    /// A request that is ready to be sent.
    private struct Request {
        var name: String
        var payload: [UInt8]
        var waiting: Waiting
    }

    /// One wait for an answer.
    private struct Waiting {
        /// The request's weight in the window; 0 outside it.
        var weight = 0
        /// Whether it asks for a role, without which the connection is of no use to the caller.
        var isOpening = false
        /// Without an answer by then, the connection is abandoned; nil means never.
        var limit: ContinuousClock.Instant?
        var then: Answer
    }

    private struct Alarm {
        var due: ContinuousClock.Instant
        var action: () -> Void
    }

    private let connection: DaemonConnection
    private var waiting: [UInt32: Waiting] = [:]
    private var window = RequestWindow<Request>()
    private var alarms: [Alarm] = []
    private var openings = 0
    private var hasAnswered = false
    private var outgoing: [UInt8] = []
    private var sent = 0
    /// Whether the peer accepts nothing more; data that it has sent before is still read.
    private var isBroken = false
    /// Why the connection is abandoned although the daemon holds it.
    private(set) var failure: OffstageError?

    /// Seconds that the daemon may take to give a role: it may have to wait until a former process has ended, or until
    /// everything that process handed over is in the store.
    static let patience = 300.0

    init(_ connection: DaemonConnection) { self.connection = connection }

    // MARK: - For users

    /// Sends a request; the answer arrives on the link's thread. If the connection is lost first, the request fails.
    package func ask<R: WireRequest>(_ request: R, then: @escaping (Result<R.Reply, OffstageError>) -> Void) {
        do throws(OffstageError) {
            let payload = try Wire.payload(of: request)
            let weight = RequestWeight.of(R.name, payload: payload.count)
            let waiting = Waiting(weight: weight, then: Self.decoding(R.self, then))
            let asked = Request(name: R.name, payload: payload, waiting: waiting)
            if window.enter(asked, weight: weight) { send(asked) }
        } catch {
            then(.failure(error))
        }
    }

    /// Asks for a role on the connection. Without an answer within `patience`, the connection is abandoned.
    package func open<R: WireRequest>(_ request: R, then: @escaping (Result<R.Reply, OffstageError>) -> Void) {
        do throws(OffstageError) {
            let payload = try Wire.payload(of: request)
            openings += 1
            let limit = ContinuousClock.now + .seconds(Self.patience)
            let then = Self.decoding(R.self, then)
            send(
                Request(name: R.name, payload: payload, waiting: Waiting(isOpening: true, limit: limit, then: then))
            )
        } catch {
            then(.failure(error))
        }
    }

    /// Asks to be the app's connection. The answer brings a journal, whose descriptor is the caller's.
    package func openApp(
        then: @escaping (Result<(app: OpenApp.Reply, journal: Int32), OffstageError>) -> Void
    ) {
        open(OpenApp()) { [connection] result in
            then(
                result.flatMap { reply in
                    guard let descriptor = connection.takeDescriptor() else { return .failure(.noJournal) }
                    return .success((reply, descriptor))
                }
            )
        }
    }

    /// Sends a message that has no answer.
    package func post(_ name: String, _ payload: [UInt8] = Array("{}".utf8)) { send(name, payload, number: 0) }

    /// Runs the action after a number of seconds, unless the connection is lost first.
    package func later(_ seconds: Double, _ action: @escaping () -> Void) {
        alarms.append(Alarm(due: .now + .seconds(seconds), action: action))
    }

    /// Seconds on a monotonic clock, for `LinkBackoff`.
    package static var now: Double { Wire.seconds() }

    // MARK: - For the link

    /// Sends a request for a thread that waits: it bypasses the window.
    func ask(_ name: String, _ payload: [UInt8], then: @escaping Answer) {
        send(Request(name: name, payload: payload, waiting: Waiting(then: then)))
    }

    var fileDescriptor: Int32 { connection.fileDescriptor }

    /// Whether the daemon has answered on this connection and owes no role: until then, its end counts as a failed try.
    var isProven: Bool { hasAnswered && openings == 0 }

    var hasOutgoing: Bool { sent < outgoing.count }

    /// Sends what the socket accepts.
    ///
    /// - Returns: whether something was sent and nothing is left.
    func flush() -> Bool {
        guard hasOutgoing else { return false }
        while hasOutgoing {
            // checked: never more is sent than there is
            guard let count = connection.sendAvailable(outgoing[sent...]) else {
                isBroken = true
                sent = outgoing.count
                break
            }
            guard count > 0 else { return false }
            sent += count  // checked: never more is sent than there is
        }
        outgoing.removeAll(keepingCapacity: outgoing.capacity <= 65_536)
        sent = 0
        return true
    }

    /// Reads the received data, and hands over the events.
    ///
    /// - Throws: why nothing more will arrive.
    func receive(_ event: (WireFrame) -> Void) throws(OffstageError) {
        let failure: OffstageError?
        do throws(OffstageError) {
            try connection.receive()
            failure = nil
        } catch {
            failure = error
        }
        for frame in connection.takeFrames() {
            switch frame.kind {
            case .reply: answer(frame.exchange, .success(frame.payload))
            case .failure: answer(frame.exchange, .failure(Self.refusal(frame)))
            case .event: event(frame)
            case .request: break
            }
        }
        if let failure { throw failure }
    }

    /// Milliseconds until something is due; nil if nothing is.
    var untilDue: Double? {
        (alarms.map(\.due) + waiting.values.compactMap(\.limit)).min().map { max(0, ($0 - .now) / .milliseconds(1)) }
    }

    /// Runs what is due.
    func ringAlarms() {
        let now = ContinuousClock.now
        let due = alarms.filter { $0.due <= now }
        alarms.removeAll { $0.due <= now }
        for alarm in due { alarm.action() }
        if waiting.values.contains(where: { $0.limit.map { $0 <= now } ?? false }) {
            failure = connection.lateness(Self.patience)
        }
    }

    /// The connection is lost: every outstanding request fails.
    func end(_ error: OffstageError) {
        alarms = []
        let abandoned = waiting
        waiting = [:]
        window = RequestWindow()
        for entry in abandoned.sorted(by: { $0.key < $1.key }) { entry.value.then(.failure(error)) }
    }

    // MARK: - Requests

    private func send(_ request: Request) {
        let number = connection.expectAnswer()
        waiting[number] = request.waiting
        send(request.name, request.payload, number: number)
    }

    private func send(_ name: String, _ payload: [UInt8], number: UInt32) {
        guard !isBroken else { return }
        let frame = WireFrame(kind: .request, exchange: number, name: name, payload: payload)
        outgoing.append(contentsOf: frame.encoded())
    }

    private func answer(_ number: UInt32, _ result: Result<[UInt8], OffstageError>) {
        guard let asked = waiting.removeValue(forKey: number) else { return }
        hasAnswered = true
        if asked.isOpening { openings -= 1 }  // checked: counted when it was asked
        if asked.weight > 0 { for next in window.ended(weight: asked.weight) { send(next) } }
        asked.then(result)
    }

    private static func decoding<R: WireRequest>(
        _ request: R.Type,
        _ then: @escaping (Result<R.Reply, OffstageError>) -> Void
    ) -> Answer {
        { then($0.flatMap { Wire.reply(to: request, $0) }) }
    }

    private static func refusal(_ frame: WireFrame) -> OffstageError {
        OffstageError(
            (try? WireCoding.decodeFromDaemon(WireFailure.self, from: frame.payload))
                ?? WireFailure(.internalError, "The daemon refused without a reason: please report this.")
        )
    }
}
