// SPDX-License-Identifier: Apache-2.0
package import OffstageProtocol

/// A connection to the daemon on which nothing blocks and several requests can be under way. Data that the socket does
/// not accept immediately is sent once it does, and each answer goes to the requester.
///
/// Belongs to one thread.
package final class DaemonLine {
    /// Receives the payload of the answer, or the reason why there is none. Called once, immediately or later.
    package typealias Answer = (Result<[UInt8], OffstageError>) -> Void

    private struct Question {
        /// When the answer is late, on the caller's clock; nil means never.
        let limit: Double?
        let then: Answer
    }

    let connection: DaemonConnection
    private var questions: [UInt32: Question] = [:]
    private var outgoing: [UInt8] = []
    private var sent = 0
    /// Whether the peer no longer accepts data; data that it sent before is still read.
    private var isBroken = false

    /// The capacity in bytes of a buffer that is kept for later requests.
    private static let keptCapacity = 65_536

    package init(_ connection: DaemonConnection) { self.connection = connection }

    package var fileDescriptor: Int32 { connection.fileDescriptor }
    package var hasOutgoing: Bool { sent < outgoing.count }
    /// The number of awaited answers.
    package var awaited: Int { questions.count }
    /// When the first answer is late; nil means never.
    package var due: Double? { questions.values.compactMap(\.limit).min() }

    // MARK: Sending

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - limit: when the answer is late, in seconds on the caller's clock; nil means never.
    ///   - then: receives the answer, or the reason why there is none. Called once, immediately or later.
    package func ask<R: WireRequest>(
        _ request: R,
        until limit: Double? = nil,
        then: @escaping (Result<R.Reply, OffstageError>) -> Void
    ) {
        do throws(OffstageError) {
            ask(R.name, try Wire.payload(of: request), until: limit, then: Self.decoding(R.self, then))
        } catch {
            then(.failure(error))
        }
    }

    func ask(_ name: String, _ payload: [UInt8], until limit: Double? = nil, then: @escaping Answer) {
        let number = connection.expectAnswer()
        questions[number] = Question(limit: limit, then: then)
        send(name, payload, number: number)
    }

    /// Sends a message that has no answer.
    func post(_ name: String, _ payload: [UInt8]) { send(name, payload, number: 0) }

    private func send(_ name: String, _ payload: [UInt8], number: UInt32) {
        guard !isBroken else { return }
        let frame = WireFrame(kind: .request, exchange: number, name: name, payload: payload)
        outgoing.append(contentsOf: frame.encoded())
    }

    static func decoding<R: WireRequest>(
        _ request: R.Type,
        _ then: @escaping (Result<R.Reply, OffstageError>) -> Void
    ) -> Answer {
        { then($0.flatMap { Wire.reply(to: request, $0) }) }
    }

    /// Sends as much as the socket accepts.
    ///
    /// - Returns: whether something was sent and nothing is left.
    @discardableResult
    package func flush() -> Bool {
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
        outgoing.removeAll(keepingCapacity: outgoing.capacity <= Self.keptCapacity)
        sent = 0
        return true
    }

    // MARK: Receiving

    /// Reads the received data: answers go to their requesters, and transfers' events are then available from
    /// `takeEvent()`.
    ///
    /// - event: receives every other event, in order.
    /// - Throws: why nothing more will arrive.
    package func receive(_ event: (WireFrame) -> Void) throws(OffstageError) {
        let failure: OffstageError?
        do throws(OffstageError) {
            try connection.receive()
            failure = nil
        } catch {
            failure = error
        }
        for frame in connection.takeFrames() {
            switch frame.kind {
            case .reply: questions.removeValue(forKey: frame.exchange)?.then(.success(frame.payload))
            case .failure: questions.removeValue(forKey: frame.exchange)?.then(.failure(Self.refusal(frame)))
            case .event: event(frame)
            case .request: break
            }
        }
        if let failure { throw failure }
    }

    /// Takes the oldest received event of a transfer that has not been taken yet.
    package func takeEvent() -> TransferEvent? { connection.takeEvent() }

    private static func refusal(_ frame: WireFrame) -> OffstageError {
        OffstageError(
            (try? WireCoding.decodeFromDaemon(WireFailure.self, from: frame.payload))
                ?? WireFailure(.internalError, "The daemon refused without a reason: please report this.")
        )
    }

    // MARK: Ends

    /// Answers every request whose answer is late with this error.
    package func giveUpLate(now: Double, _ error: OffstageError) {
        for (number, question) in questions where question.limit.map({ $0 <= now }) == true {
            questions[number] = nil
            question.then(.failure(error))
        }
    }

    /// Ends the lost connection: every outstanding request fails, in the order in which the requests were made.
    package func end(_ error: OffstageError) {
        let abandoned = questions.sorted { $0.key < $1.key }
        questions = [:]
        for entry in abandoned { entry.value.then(.failure(error)) }
    }
}
