// SPDX-License-Identifier: Apache-2.0
import OffstageClient
import OffstageCore
import OffstageProtocol

/// One connection to the machine's daemon, on which nothing waits: what the socket does not take is sent when it does.
///
/// Belongs to the thread of the loop.
final class MemberLine {
    private struct Question {
        /// Seconds on the boot-time clock; nil for as long as it takes.
        let limit: Double?
        let receive: (Result<WireFrame, OffstageError>) -> Void
    }

    private let connection: DaemonConnection
    private var questions: [UInt32: Question] = [:]
    private var outgoing: [UInt8] = []
    private var sent = 0

    /// Seconds for an answer: a commit may take some.
    static let patience = 60.0
    private static let keptCapacity = 65_536

    init(_ connection: DaemonConnection) { self.connection = connection }

    var descriptor: Int32 { connection.fileDescriptor }
    var hasOutgoing: Bool { sent < outgoing.count }
    /// When the first answer is late; nil when none is awaited.
    var due: Double? { questions.values.compactMap(\.limit).min() }

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - isPatient: whether the answer may take as long as it takes.
    ///   - take: receives the answer, or why there is none; once, later or at once.
    func ask<R: WireRequest>(
        _ request: R,
        isPatient: Bool = false,
        _ take: @escaping (Result<R.Reply, OffstageError>) -> Void
    ) {
        let payload: [UInt8]
        do {
            payload = try WireCoding.encode(request)
        } catch {
            return take(.failure(OffstageError(.internalError, "The request '\(R.name)' cannot be written.")))
        }
        guard payload.count <= Self.longestRequest else {
            return take(.failure(OffstageError(.badRequest, "The request '\(R.name)' is too long.")))
        }
        let number = connection.expectAnswer()
        let limit = isPatient ? nil : MemberClock.seconds + Self.patience  // checked: floating point
        questions[number] = Question(limit: limit) { take($0.flatMap { Self.reply(to: R.self, $0) }) }
        // checked: an array
        outgoing += WireFrame(kind: .request, exchange: number, name: R.name, payload: payload).encoded()
    }

    /// Bytes of a request's payload, with some room for its name.
    static let longestRequest = Int(WireFrame.maximumLength) - 1024  // checked: constants

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
            return .failure(OffstageError(.internalError, "The daemon's answer to \(R.name) cannot be read."))
        }
    }

    /// Sends what the socket takes.
    ///
    /// - Returns: false if the daemon has gone.
    func flush() -> Bool {
        while hasOutgoing {
            // checked: never more is sent than there is
            guard let count = connection.sendAvailable(outgoing[sent...]) else { return false }
            guard count > 0 else { return true }
            sent += count  // checked: never more is sent than there is
        }
        outgoing.removeAll(keepingCapacity: outgoing.capacity <= Self.keptCapacity)
        sent = 0
        return true
    }

    /// Reads what has come; answers go to those who asked.
    ///
    /// - Returns: events, in the order of their kinds' arrival.
    /// - Throws: `OffstageError` when the daemon has gone.
    func receive() throws(OffstageError) -> (frames: [WireFrame], transfers: [TransferEvent]) {
        var failure: OffstageError?
        do throws(OffstageError) {
            try connection.receive()
        } catch {
            failure = error
        }
        var frames: [WireFrame] = []
        for frame in connection.takeFrames() {
            switch frame.kind {
            case .reply, .failure: questions.removeValue(forKey: frame.exchange)?.receive(.success(frame))
            case .event: frames.append(frame)
            case .request: break
            }
        }
        var transfers: [TransferEvent] = []
        while let event = connection.takeEvent() { transfers.append(event) }
        // What is lost with the connection is asked for again over the next.
        if let failure { throw failure }
        return (frames, transfers)
    }

    /// The connection is over: nobody is answered any more.
    func end(_ error: OffstageError) {
        let unanswered = questions.sorted { $0.key < $1.key }.map(\.value.receive)
        questions = [:]
        for take in unanswered { take(.failure(error)) }
    }
}
