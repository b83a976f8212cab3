// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
package import OffstageRuntime

/// What does the work of a store.
package enum StoreService: Sendable {
    /// One thread that writes and one that reads.
    case threads
    /// The caller's loop, in virtual time.
    case loop(VirtualStoreService)
}

/// How a store is served in virtual time, by the loop that all its callers run on.
package struct VirtualStoreService: Sendable {
    package enum Step: Sendable {
        /// Something is about to be read.
        case read
        /// A commit is about to be made.
        case commit
        /// A commit is durable, but not yet reported.
        case committed
    }

    package let loop: EventLoop
    /// How many seconds a commit waits for its turn; requests that arrive meanwhile become part of it.
    package let latency: @Sendable () -> Double
    /// Whether the machine is still running; after a `false`, no success is reported any more.
    package let survives: @Sendable (Step) -> Bool
    /// Why the disk refuses a step, such as because it is full; nil if it does not.
    package let refusal: @Sendable (Step) -> StoreError?

    package init(
        loop: EventLoop,
        latency: @escaping @Sendable () -> Double = { 0 },
        survives: @escaping @Sendable (Step) -> Bool = { _ in true },
        refusal: @escaping @Sendable (Step) -> StoreError? = { _ in nil }
    ) {
        self.loop = loop
        self.latency = latency
        self.survives = survives
        self.refusal = refusal
    }
}
