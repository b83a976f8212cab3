// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization

/// Passes deliveries to the delegate queue one at a time, in order, even if that queue is concurrent.
final class DeliveryQueue: Sendable {
    private struct State {
        var waiting: [Delivery] = []
        /// The index of the next delivery in `waiting`.
        var next = 0
        var isScheduled = false
    }

    private let operations: OperationQueue
    private let state = Mutex(State())
    private let perform: @Sendable (Delivery) -> Void
    /// The most deliveries per operation: other work on the delegate queue gets its turn between two operations.
    private static let share = 64

    /// - Parameters:
    ///   - operations: the delegate queue.
    ///   - perform: carries out one delivery, on the delegate queue.
    init(_ operations: OperationQueue, perform: @escaping @Sendable (Delivery) -> Void) {
        self.operations = operations
        self.perform = perform
    }

    func add(_ deliveries: some Sequence<Delivery>) {
        let mustSchedule = state.withLock { state in
            state.waiting.append(contentsOf: deliveries)
            guard !state.isScheduled, state.next < state.waiting.count else { return false }
            state.isScheduled = true
            return true
        }
        if mustSchedule { schedule() }
    }

    private func schedule() {
        operations.addOperation { self.run() }
    }

    private func run() {
        for _ in 0..<Self.share {
            guard let delivery = next() else { return }
            AppCode.current.run { perform(delivery) }
        }
        schedule()
    }

    /// The next delivery; if there is none, the queue becomes idle.
    private func next() -> Delivery? {
        state.withLock { state in
            guard state.next < state.waiting.count else {
                state.waiting = []
                state.next = 0
                state.isScheduled = false
                return nil
            }
            defer { state.next += 1 }
            return state.waiting[state.next]
        }
    }
}
