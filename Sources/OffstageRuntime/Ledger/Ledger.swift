// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Writes before it tells: changes on their way into the store, in order, and what may follow once they are durable.
///
/// Everything recorded in one turn of the loop shares one commit. What is recorded while that commit is under way is the
/// next one. So the store receives changes in the order in which they were decided, however slow it is, and the number of
/// commits does not grow with the number of changes. A store in trouble is waited out (`StoreTrouble`).
///
/// `@unchecked Sendable`: belongs to the loop, which whatever records or waits checks.
package final class Ledger<Change: Sendable>: @unchecked Sendable {
    /// Makes changes durable, all or none.
    package typealias Commit = @Sendable ([Change]) async throws(Failure) -> Void
    package typealias Failure = StoreError

    /// Counts commits from 1.
    package typealias Number = UInt64

    private enum Entry {
        case change(Change)
        /// Asked at each try, so that a commit that is tried again does not bring back what is out of date.
        case latest(() -> Change?)

        var change: Change? {
            switch self {
            case .change(let change): change
            case .latest(let change): change()
            }
        }
    }

    private struct Batch {
        var entries: [Entry] = []
        var followers: [(_ isDurable: Bool) -> Void] = []

        var isEmpty: Bool { entries.isEmpty && followers.isEmpty }
    }

    private let loop: EventLoop
    private let trouble: StoreTrouble
    private let log: Log
    private let commit: Commit
    /// Called whenever nothing is on its way into the store any more.
    private var whenAtRest: () -> Void = {}
    private var restWaiters: [CheckedContinuation<Void, Never>] = []

    private var batch = Batch()
    /// What the commit under way is about.
    private var committing = Batch()
    /// The number of the commit that changes are collected for.
    private var collecting: Number = 1
    /// The number of the last commit that has come to its end.
    private var ended: Number = 0
    private var isScheduled = false
    private var isCommitting = false
    private var isStopping = false

    /// - Parameters:
    ///   - loop: the loop of everybody who records.
    ///   - trouble: where a store that fails is waited for.
    ///   - log: the daemon's.
    ///   - commit: makes changes durable, all or none. Called on the loop.
    package init(
        loop: EventLoop,
        trouble: StoreTrouble,
        log: Log,
        commit: @escaping Commit
    ) {
        self.loop = loop
        self.trouble = trouble
        self.log = log
        self.commit = commit
    }

    /// Names what is called whenever nothing is on its way into the store any more.
    package func onRest(_ handler: @escaping () -> Void) { whenAtRest = handler }

    // MARK: Recording

    /// Has a change made durable, after every change before it.
    ///
    /// - Returns: the number of the commit that it is part of.
    @discardableResult
    package func record(_ change: Change) -> Number { add(.change(change)) }

    /// Has something made durable as it is when it is written.
    ///
    /// - Parameter change: asked at each try; nil for nothing to write any more.
    /// - Returns: the number of the commit that it is part of.
    @discardableResult
    package func recordLatest(_ change: @escaping () -> Change?) -> Number { add(.latest(change)) }

    /// Has something follow once everything recorded so far is durable.
    ///
    /// - Parameter follower: called on the loop, in order; `isDurable` is false when the daemon stops first.
    package func follow(_ follower: @escaping (_ isDurable: Bool) -> Void) {
        loop.checkIsolated()
        batch.followers.append(follower)
        schedule()
    }

    /// Returns when everything recorded so far is durable; false when the daemon stops first.
    package func untilDurable() async -> Bool {
        await withCheckedContinuation { continuation in follow { continuation.resume(returning: $0) } }
    }

    /// Whether a commit has yet to begin: what is recorded now becomes part of it.
    package func isCollecting(_ number: Number) -> Bool { number == collecting }

    /// Whether a commit has come to its end.
    package func hasEnded(_ number: Number) -> Bool { number <= ended }

    // MARK: Rest

    /// Whether nothing is on its way into the store.
    package var isAtRest: Bool { !isCommitting && batch.isEmpty }

    /// Gives up what cannot be written just now, and returns when nothing is on its way into the store.
    package func shutDown() async {
        loop.checkIsolated()
        isStopping = true
        while !isAtRest { await withCheckedContinuation { restWaiters.append($0) } }
    }

    // MARK: Committing

    private func add(_ entry: Entry) -> Number {
        loop.checkIsolated()
        batch.entries.append(entry)
        schedule()
        return collecting
    }

    private func schedule() {
        guard !isScheduled, !isCommitting else { return }
        isScheduled = true
        // At the end of this turn: what else it records comes with it.
        loop.post { self.begin() }
    }

    private func begin() {
        isScheduled = false
        isCommitting = true
        committing = batch
        batch = Batch()
        collecting += 1
        loop.startTask { self.end(isDurable: await self.write(self.committing.entries)) }
    }

    private func end(isDurable: Bool) {
        let followers = committing.followers
        committing = Batch()
        isCommitting = false
        ended += 1
        for follower in followers { follower(isDurable) }
        guard batch.isEmpty else { return schedule() }
        whenAtRest()
        let waiters = restWaiters
        restWaiters = []
        for waiter in waiters { waiter.resume() }
    }

    /// Commits until it succeeds; false when the daemon stops first.
    private func write(_ entries: [Entry]) async -> Bool {
        let result = await trouble.waitOut(.writing, unless: { self.isStopping }) { () throws(StoreError) -> Result in
            let changes = entries.compactMap(\.change)
            guard !changes.isEmpty else { return .success(()) }
            do throws(StoreError) {
                return .success(try await commit(changes))
            } catch {
                guard error.isOfRequest else { throw error }
                return .failure(error)
            }
        }
        switch result {
        case .success?: return true
        case .failure(let refusal)?: return await writeOneByOne(entries, refusal)
        case nil: return false
        }
    }

    private typealias Result = Swift.Result<Void, StoreError>

    /// What the store will never take holds up nothing behind it.
    private func writeOneByOne(_ entries: [Entry], _ refusal: StoreError) async -> Bool {
        guard entries.count > 1 else {
            log.fault("a change is lost when the daemon ends, since the store refuses it", ["reason": refusal])
            return true
        }
        for entry in entries {
            guard await write([entry]) else { return false }
        }
        return true
    }
}
