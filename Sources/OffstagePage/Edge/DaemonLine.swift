// SPDX-License-Identifier: Apache-2.0
import OffstageClient
import OffstageProtocol

/// One connection to the daemon on which several requests are under way. Belongs to the thread of the loop.
final class DaemonLine {
    private struct Question {
        let end: Double
        let receive: (Result<WireFrame, OffstageError>) -> Void
    }

    private let connection: DaemonConnection
    private var questions: [UInt32: Question] = [:]

    init(_ connection: DaemonConnection) { self.connection = connection }

    var descriptor: Int32 { connection.fileDescriptor }

    /// When the first answer is late; nil when none is awaited.
    var due: Double? { questions.values.map(\.end).min() }

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - take: receives the answer, or why there is none; called once, later or at once.
    func ask<R: WireRequest>(_ request: R, _ take: @escaping (Result<R.Reply, OffstageError>) -> Void) {
        guard questions.count < PageBounds.questions else {
            return take(.failure(OffstageError(.tooManyConnections, PageRefusal.busy.sentence)))
        }
        do throws(OffstageError) {
            let number = try connection.post(request)
            // checked: two of our own times
            questions[number] = Question(end: PageClock.now + PageBounds.patience) { result in
                take(result.flatMap { Self.reply(to: R.self, $0) })
            }
        } catch {
            take(.failure(error))
        }
    }

    private static func reply<R: WireRequest>(
        to request: R.Type,
        _ frame: WireFrame
    ) -> Result<R.Reply, OffstageError> {
        do {
            guard frame.kind == .reply else {
                return .failure(OffstageError(try WireCoding.decodeFromDaemon(WireFailure.self, from: frame.payload)))
            }
            return .success(try WireCoding.decodeFromDaemon(R.Reply.self, from: frame.payload))
        } catch {
            let sentence = "The daemon's answer to \(R.name) cannot be read: please report this."
            return .failure(OffstageError(.internalError, sentence))
        }
    }

    /// What has come besides answers, which go to those who asked.
    ///
    /// - Parameter isReadable: whether the descriptor is.
    /// - Returns: events, in order.
    /// - Throws: `OffstageError` when the daemon has gone; `fail` then says so to those who wait.
    func receive(isReadable: Bool) throws(OffstageError) -> (transfers: [TransferEvent], tasks: Int) {
        if isReadable { try connection.receive() }
        var tasks = 0
        for frame in connection.takeFrames() {
            if frame.kind == .event {
                if frame.name == TaskEvent.name { tasks += 1 }
            } else {
                questions.removeValue(forKey: frame.exchange)?.receive(.success(frame))
            }
        }
        var events: [TransferEvent] = []
        while let event = connection.takeEvent() { events.append(event) }
        return (events, tasks)
    }

    /// Gives up questions whose answer is late.
    func giveUp(now: Double) {
        for (number, question) in questions where question.end <= now {
            questions[number] = nil
            question.receive(.failure(OffstageError(.timedOut, "its socket", detail: "it was given 30 s")))
        }
    }

    /// Ends all questions, since the connection is gone.
    func fail(_ error: OffstageError) {
        let all = questions.values
        questions = [:]
        for question in all { question.receive(.failure(error)) }
    }
}
