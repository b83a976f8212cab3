// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
package import OffstageRuntime

/// Who does the work of a store.
package enum StoreService: Sendable {
    /// A thread that writes and one that reads.
    case threads
    /// The loop of whoever asks, in virtual time.
    case loop(VirtualStoreService)
}

/// How a store is served in virtual time, by the loop that everybody who asks runs on.
package struct VirtualStoreService: Sendable {
    package enum Step: Sendable {
        /// Something is about to be read.
        case read
        /// A commit is about to be made.
        case commit
        /// A commit is durable, and nobody has been told.
        case committed
    }

    package let loop: EventLoop
    /// For how many seconds a commit waits for its turn; what is asked for meanwhile becomes part of it.
    package let latency: @Sendable () -> Double
    /// Whether the machine still runs; after a `false` nobody is told of a success any more.
    package let survives: @Sendable (Step) -> Bool
    /// Why the disk refuses a step, such as that it is full; nil while it does not.
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
