// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageRuntime

/// Threads that wait for an account's key or its service, in place of the loop. There is a limit on them: more are for
/// transfers that wait than people's requests may take.
///
/// `@unchecked Sendable`: belongs to the loop, like every caller.
final class AccountThreads: @unchecked Sendable {
    private let loop: EventLoop
    private var gate = FairGate<Int>(
        total: SocketBudget().accountThreads,
        perOwner: SocketBudget().accountThreads,
        waitingPerOwner: .max
    )
    private var tickets: UInt64 = 0
    private let waiters = Waiters<UInt64, Void>()

    init(loop: EventLoop) { self.loop = loop }

    /// Runs `body` on a thread of its own, once there is room for one; nil if no thread can be started.
    func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value? {
        tickets += 1
        let ticket = tickets
        await waiters.wait(for: ticket) { gate.enter(ticket, of: 0) == .waits }
        defer {
            if let next = gate.leave(0) { waiters.resume(next) }
        }
        return await withCheckedContinuation { continuation in
            if !LoneThread.start(for: loop, { continuation.resume(returning: body()) }) {
                continuation.resume(returning: nil)
            }
        }
    }
}
