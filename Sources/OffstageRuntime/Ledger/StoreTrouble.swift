// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
package import OffstageCore

/// The reason why the store does not work at the moment, and the only place that waits until it does.
///
/// A full disk or another program's lock is temporary. Until it passes, decisions stay in memory and are retried once a
/// second. The log reports each trouble, and its end, once.
///
/// `@unchecked Sendable`: belongs to the loop, which every call checks.
package final class StoreTrouble: @unchecked Sendable {
    /// Reading may work while writing does not, so the success of one implies nothing about the other.
    package enum Access: Hashable, Sendable { case reading, writing }

    /// The failure, and when it began.
    package struct Standing: Sendable, Equatable {
        package let sentence: String
        package let since: Date
    }

    private let loop: EventLoop
    private let now: @Sendable () -> Moment
    private let log: Log
    private var standings: [Access: Standing] = [:]

    /// Seconds between tries.
    private static let pause = 1.0

    /// - Parameters:
    ///   - loop: the loop on which all callers wait.
    ///   - now: reads the daemon's clock.
    ///   - log: the daemon's.
    package init(
        loop: EventLoop,
        now: @escaping @Sendable () -> Moment,
        log: Log
    ) {
        self.loop = loop
        self.now = now
        self.log = log
    }

    /// The current failure; nil if there is none.
    package var standing: Standing? {
        loop.checkIsolated()
        return standings[.writing] ?? standings[.reading]
    }

    /// Repeats an operation on the store until it succeeds.
    ///
    /// - Parameters:
    ///   - access: the kind of operation.
    ///   - isStopping: whether the daemon is stopping, which rules out another try; called after each failure.
    ///   - body: one try. It runs again after each failure, so it must look up the values to store each time.
    /// - Returns: the result of `body`; nil if the daemon stopped first.
    @discardableResult
    package func waitOut<Value>(
        _ access: Access,
        unless isStopping: () -> Bool,
        _ body: () async throws(StoreError) -> Value
    ) async -> Value? {
        loop.checkIsolated()
        while true {
            do throws(StoreError) {
                let value = try await body()
                if standings.removeValue(forKey: access) != nil { log.notice("the store works again") }
                return value
            } catch {
                record(error, access)
                if isStopping() { return nil }
                await loop.sleep(seconds: Self.pause)
            }
        }
    }

    /// Reports a change that the store refuses for good (`StoreError.isOfRequest`). It is not retried, since it would
    /// hold up all later changes. It stays in effect as long as the daemon runs. Such a change is our bug.
    package func giveUp(_ refusal: StoreError) {
        log.fault("a change is lost when the daemon ends, since the store refuses it", ["reason": refusal])
    }

    private func record(_ error: StoreError, _ access: Access) {
        guard standings[access]?.sentence != error.sentence else { return }
        standings[access] = Standing(sentence: error.sentence, since: now().wall)
        log.error("the store has failed, and is tried again", ["reason": error])
    }
}
