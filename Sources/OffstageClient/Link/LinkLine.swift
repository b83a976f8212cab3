// SPDX-License-Identifier: Apache-2.0
import OffstageCore
package import OffstageProtocol

/// One connection of an app's link, as its users see it: the exchange numbers, and which request each answer is for.
///
/// For the link's thread only. Nothing here blocks: data that the socket does not accept immediately is sent once it
/// does.
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
    /// Whether the connection is lost: results that requests then receive are not the daemon's answers.
    private var isOver = false
    /// Why the connection is abandoned although the daemon keeps it open.
    private(set) var failure: OffstageError?

    /// Seconds that the daemon may take to grant a role. It may have to wait until a previous process has ended, or
    /// until everything that process handed over is in the store.
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

    /// Requests a role on the connection. If there is no answer within `patience`, the connection is abandoned.
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

    /// Requests to be the app's connection. The answer comes with a journal, whose descriptor the caller owns.
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

    /// Sends a request for a waiting thread: it bypasses the window.
    func ask(_ name: String, _ payload: [UInt8], then: @escaping DaemonLine.Answer) {
        line.ask(name, payload) { [self] result in
            if !isOver { hasAnswered = true }
            then(result)
        }
    }

    var fileDescriptor: Int32 { line.fileDescriptor }

    /// Whether the daemon has answered on this connection and owes no role: until then, the connection's end counts as
    /// a failed attempt.
    var isProven: Bool { hasAnswered && openings == 0 }

    var hasOutgoing: Bool { line.hasOutgoing }

    /// Sends as much as the socket accepts.
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

    /// Runs the actions that are due.
    func ringAlarms() {
        let now = Self.now
        let due = alarms.filter { $0.due <= now }
        alarms.removeAll { $0.due <= now }
        for alarm in due { alarm.action() }
        if let limit = line.due, limit <= now { failure = line.connection.lateness(Self.patience) }
    }

    /// Ends the lost connection: every outstanding request fails.
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
