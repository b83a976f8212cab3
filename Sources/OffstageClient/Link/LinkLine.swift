// SPDX-License-Identifier: Apache-2.0
import OffstageCore
package import OffstageProtocol

/// One connection of an app's link, as its users see it: the exchange numbers, and who waits for which answer.
///
/// For the link's thread only. Nothing here blocks: what the socket does not accept at once is sent when it does.
package final class LinkLine {
    /// A request that is ready to be sent.
    private struct Request {
        var name: String
        var payload: [UInt8]
        /// The request's weight in the window.
        var weight: Int
        var then: DaemonLine.Answer
    }

    private struct Alarm {
        /// Seconds on a monotonic clock.
        var due: Double
        var action: () -> Void
    }

    private let line: DaemonLine
    private var window = RequestWindow<Request>()
    private var alarms: [Alarm] = []
    private var openings = 0
    private var hasAnswered = false
    /// Whether the connection is lost: what requests are told then is no answer of the daemon.
    private var isOver = false
    /// Why the connection is abandoned although the daemon holds it.
    private(set) var failure: OffstageError?

    /// Seconds that the daemon may take to give a role: it may have to wait until a former process has ended, or until
    /// everything that process handed over is in the store.
    static let patience = 300.0

    init(_ connection: DaemonConnection) { line = DaemonLine(connection) }

    // MARK: - For users

    /// Sends a request; the answer arrives on the link's thread. If the connection is lost first, the request fails.
    package func ask<R: WireRequest>(_ request: R, then: @escaping (Result<R.Reply, OffstageError>) -> Void) {
        do throws(OffstageError) {
            let payload = try Wire.payload(of: request)
            let weight = RequestWeight.of(R.name, payload: payload.count)
            let asked = Request(
                name: R.name,
                payload: payload,
                weight: weight,
                then: DaemonLine.decoding(R.self, then)
            )
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
            let then = DaemonLine.decoding(R.self, then)
            line.ask(R.name, payload, until: Self.now + Self.patience) { [self] result in
                if !isOver {
                    hasAnswered = true
                    openings -= 1  // checked: counted when it was asked
                }
                then(result)
            }
        } catch {
            then(.failure(error))
        }
    }

    /// Asks to be the app's connection. The answer brings a journal, whose descriptor is the caller's.
    package func openApp(
        then: @escaping (Result<(app: OpenApp.Reply, journal: Int32), OffstageError>) -> Void
    ) {
        open(OpenApp()) { [line] result in
            then(
                result.flatMap { reply in
                    guard let descriptor = line.connection.takeDescriptor() else { return .failure(.noJournal) }
                    return .success((reply, descriptor))
                }
            )
        }
    }

    /// Sends a message that has no answer.
    package func post(_ name: String, _ payload: [UInt8] = Array("{}".utf8)) { line.post(name, payload) }

    /// Runs the action after a number of seconds, unless the connection is lost first.
    package func later(_ seconds: Double, _ action: @escaping () -> Void) {
        alarms.append(Alarm(due: Self.now + seconds, action: action))
    }

    /// Seconds on a monotonic clock, for `LinkBackoff`.
    package static var now: Double { Wire.seconds() }

    // MARK: - For the link

    /// Sends a request for a thread that waits: it bypasses the window.
    func ask(_ name: String, _ payload: [UInt8], then: @escaping DaemonLine.Answer) {
        line.ask(name, payload) { [self] result in
            if !isOver { hasAnswered = true }
            then(result)
        }
    }

    var fileDescriptor: Int32 { line.fileDescriptor }

    /// Whether the daemon has answered on this connection and owes no role: until then, its end counts as a failed try.
    var isProven: Bool { hasAnswered && openings == 0 }

    var hasOutgoing: Bool { line.hasOutgoing }

    /// Sends what the socket accepts.
    ///
    /// - Returns: whether something was sent and nothing is left.
    func flush() -> Bool { line.flush() }

    /// Reads the received data, and hands over the events.
    ///
    /// - Throws: why nothing more will arrive.
    func receive(_ event: (WireFrame) -> Void) throws(OffstageError) { try line.receive(event) }

    /// Milliseconds until something is due; nil if nothing is.
    var untilDue: Double? {
        (alarms.map(\.due) + [line.due].compactMap(\.self)).min().map { max(0, ($0 - Self.now) * 1000) }
    }

    /// Runs what is due.
    func ringAlarms() {
        let now = Self.now
        let due = alarms.filter { $0.due <= now }
        alarms.removeAll { $0.due <= now }
        for alarm in due { alarm.action() }
        if let limit = line.due, limit <= now { failure = line.connection.lateness(Self.patience) }
    }

    /// The connection is lost: every outstanding request fails.
    func end(_ error: OffstageError) {
        alarms = []
        window = RequestWindow()
        isOver = true
        line.end(error)
    }

    private func send(_ request: Request) {
        line.ask(request.name, request.payload) { [self] result in
            if !isOver {
                hasAnswered = true
                for next in window.ended(weight: request.weight) { send(next) }
            }
            request.then(result)
        }
    }
}
