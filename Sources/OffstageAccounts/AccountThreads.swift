// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageRuntime

/// Threads that wait for an account's key or its service, instead of the loop. Their number is limited, in total and
/// for each purpose: waiting transfers may use more of them than people's requests. `ThreadTurns` decides, and this
/// class carries it out.
///
/// `@unchecked Sendable`: belongs to the loop, like every caller.
final class AccountThreads: @unchecked Sendable {
    typealias Purpose = ThreadTurns.Purpose

    /// Why there is no result.
    enum Refusal: Error {
        /// The system allows no more threads.
        case noThread
        /// A disk does not answer, or the daemon is stopping.
        case noAnswer
    }

    /// The result of a thread.
    ///
    /// `@unchecked Sendable`: belongs to the loop, to which the thread posts its result.
    private final class Answer<Value: Sendable>: @unchecked Sendable {
        var value: Value?
    }

    private let loop: EventLoop
    private let alarm: TurnAlarm
    private var hasAlarm = false
    private var turns = ThreadTurns()
    private var tickets: UInt64 = 0
    /// The waits for a turn, resumed with true when it has come, and the waits for a thread.
    private let waiters = Waiters<UInt64, Bool>()

    init(loop: EventLoop) {
        self.loop = loop
        alarm = TurnAlarm(loop: loop)
    }

    /// Runs `body` on a separate thread, once there is room for one.
    ///
    /// - Parameters:
    ///   - purpose: what the thread waits for.
    ///   - body: the work, which may block.
    /// - Returns: the result of `body`, or why there is none.
    func run<Value: Sendable>(
        for purpose: Purpose,
        _ body: @escaping @Sendable () -> Value
    ) async -> Result<Value, Refusal> {
        tickets += 1
        let ticket = tickets
        let hasTurn = await waiters.wait(
            for: ticket,
            unless: {
                let entry = turns.enter(ticket, for: purpose, now: loop.uptime)
                return entry == .waits ? nil : entry == .begins
            }
        )
        guard hasTurn else { return .failure(.noAnswer) }
        let answer = Answer<Value>()
        let isStarted = LoneThread.start(for: loop) {
            let value = body()
            self.loop.post {
                answer.value = value
                self.ended(ticket)
            }
        }
        guard isStarted else {
            ended(ticket)
            return .failure(.noThread)
        }
        setAlarm()
        _ = await waiters.wait(for: ticket, unless: { turns.isAwaited(ticket) ? nil : true })
        guard let value = answer.value else { return .failure(.noAnswer) }
        return .success(value)
    }

    /// Stops the threads because the daemon is stopping: the remaining waits are limited to a moment.
    func stop() {
        turns.stop(now: loop.uptime)
        setAlarm()
    }

    private func ended(_ ticket: UInt64) {
        let next = turns.ended(ticket, now: loop.uptime)
        waiters.resume(ticket, returning: true)
        if let next { waiters.resume(next, returning: true) }
        setAlarm()
    }

    private func timeIsUp() {
        for ticket in turns.giveUp(now: loop.uptime) { waiters.resume(ticket, returning: false) }
        setAlarm()
    }

    /// Resets the alarm, because the time at which the first wait expires may have changed. Most waits never expire.
    private func setAlarm() {
        guard hasAlarm || turns.nextDue != nil else { return }
        if !hasAlarm {
            hasAlarm = true
            alarm.start(
                times: { [weak self] in (self?.turns.nextDue, nil) },
                ring: { [weak self] in self?.timeIsUp() }
            )
        }
        alarm.changed()
    }
}
