// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Writes before it reports: holds changes on their way into the store, in order, and the actions that may follow once
/// they are durable.
///
/// All changes recorded in one turn of the loop share one commit. Changes recorded while it is under way form the next
/// one. So the store receives changes in the order in which they were decided, however slow it is, and the number of
/// commits does not grow with the number of changes. If the store fails, `StoreTrouble` waits until it works.
///
/// `@unchecked Sendable`: belongs to the loop; recording and waiting check that.
package final class Ledger<Change: Sendable>: @unchecked Sendable {
    /// Makes changes durable, all of them or none.
    package typealias Commit = @Sendable ([Change]) async throws(Failure) -> Void
    package typealias Failure = StoreError

    /// Numbers commits from 1.
    package typealias Number = UInt64

    /// Changes that are made durable together, or not at all.
    private struct Entry {
        /// Evaluated at each try, so that a repeated commit does not store outdated values.
        let changes: () -> [Change]
        /// Called when the store refuses the changes for good; if nil, that is logged as a fault.
        var refused: ((StoreError) -> Void)?
    }

    private struct Batch {
        var entries: [Entry] = []
        var followers: [(_ isDurable: Bool) -> Void] = []

        var isEmpty: Bool { entries.isEmpty && followers.isEmpty }
    }

    private let loop: EventLoop
    private let trouble: StoreTrouble
    private let commit: Commit
    /// Called whenever no change is on its way into the store any more.
    private var whenAtRest: () -> Void = {}
    private let waiters = Waiters<Milestone, Void>()

    private enum Milestone { case rest }

    private var batch = Batch()
    /// The contents of the commit under way.
    private var committing = Batch()
    /// The number of the commit that changes are collected for.
    private var collecting: Number = 1
    /// The number of the last commit that is durable.
    private var durable: Number = 0
    private var isScheduled = false
    private var isCommitting = false
    private var isStopping = false
    /// Whether changes were given up because the daemon stops: no later change is durable either.
    private var hasGivenUp = false

    /// - Parameters:
    ///   - loop: the loop on which changes are recorded.
    ///   - trouble: waits while the store fails.
    ///   - commit: makes changes durable, all of them or none. Called on the loop.
    package init(
        loop: EventLoop,
        trouble: StoreTrouble,
        commit: @escaping Commit
    ) {
        self.loop = loop
        self.trouble = trouble
        self.commit = commit
    }

    /// Sets the handler that is called whenever no change is on its way into the store any more.
    package func onRest(_ handler: @escaping () -> Void) { whenAtRest = handler }

    // MARK: Recording

    /// Makes a change durable, after every change before it.
    ///
    /// - Returns: the number of the commit that it is part of.
    @discardableResult
    package func record(_ change: Change) -> Number { add(Entry { [change] }) }

    /// Makes a value durable as it is at the time of writing.
    ///
    /// - Parameters:
    ///   - change: evaluated at each try; nil if there is nothing left to write.
    ///   - refused: called on the loop if the store refuses the change for good, which is logged as well.
    /// - Returns: the number of the commit that it is part of.
    @discardableResult
    package func recordLatest(_ change: @escaping () -> Change?, refused: (() -> Void)? = nil) -> Number {
        let trouble = trouble
        return add(
            Entry {
                change().map { [$0] } ?? []
            } refused: { refusal in
                trouble.giveUp(refusal)
                refused?()
            }
        )
    }

    /// Makes changes durable, all of them or none, after every change before them.
    ///
    /// - Returns: the outcome. A refusal is the caller's to handle, and is not logged.
    package func write(_ changes: [Change]) async -> CommitOutcome {
        var refusal: StoreError?
        _ = add(
            Entry {
                changes
            } refused: {
                refusal = $0
            }
        )
        guard await untilDurable() else { return .stopped }
        return refusal.map { .refused($0) } ?? .durable
    }

    /// Makes changes durable, all of them or none, for a caller that is notified at once if the store does not work.
    ///
    /// They do not wait for earlier changes, nor for a store in trouble. So the earlier changes must be unrelated.
    package func writeNow(_ changes: [Change]) async throws(StoreError) {
        loop.checkIsolated()
        try await commit(changes)
    }

    /// Calls a follower once everything recorded so far is durable.
    ///
    /// - Parameter follower: called on the loop, in order; `isDurable` is false if the daemon stops first.
    package func follow(_ follower: @escaping (_ isDurable: Bool) -> Void) {
        loop.checkIsolated()
        batch.followers.append(follower)
        schedule()
    }

    /// Returns when everything recorded so far is durable; false if the daemon stops first.
    package func untilDurable() async -> Bool {
        await withCheckedContinuation { continuation in follow { continuation.resume(returning: $0) } }
    }

    /// Whether a commit has not begun yet: changes recorded now become part of it.
    package func isCollecting(_ number: Number) -> Bool { number == collecting }

    /// Whether a commit is durable, except for changes that the store refused for good.
    package func isDurable(_ number: Number) -> Bool { number <= durable }

    // MARK: Rest

    /// Whether no change is on its way into the store.
    package var isAtRest: Bool { !isCommitting && batch.isEmpty }

    /// From now on, changes that cannot be written at the moment are given up.
    package func prepareToStop() {
        loop.checkIsolated()
        isStopping = true
    }

    /// Gives up changes that cannot be written at the moment, and returns once no change is on its way into the store.
    package func shutDown() async {
        prepareToStop()
        while !isAtRest { await waiters.wait(for: .rest) { !isAtRest } }
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
        // At the end of this turn, so that everything else it records is included.
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
        if !isDurable { hasGivenUp = true }
        if !hasGivenUp { durable += 1 }
        // A batch may have followers but no changes: the changes that they follow were given up before.
        for follower in followers { follower(!hasGivenUp) }
        guard batch.isEmpty else { return schedule() }
        whenAtRest()
        waiters.resume(.rest)
    }

    /// Commits until it succeeds; false if the daemon stops first.
    private func write(_ entries: [Entry]) async -> Bool {
        let result = await trouble.waitOut(.writing, unless: { self.isStopping }) { () throws(StoreError) -> Result in
            let changes = entries.flatMap { $0.changes() }
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

    /// Writes the changes one by one: a change that the store always refuses must not hold up the others.
    private func writeOneByOne(_ entries: [Entry], _ refusal: StoreError) async -> Bool {
        guard entries.count > 1 else {
            if let refused = entries.first?.refused { refused(refusal) } else { trouble.giveUp(refusal) }
            return true
        }
        for entry in entries {
            guard await write([entry]) else { return false }
        }
        return true
    }
}
