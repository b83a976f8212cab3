// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
package import OffstageCore

/// What keeps the store from working just now, and the one place where that is waited out.
///
/// A full disk or a lock that another program holds will pass. What was decided stays in memory meanwhile and is tried
/// again once a second; the log names each trouble once.
///
/// `@unchecked Sendable`: belongs to the loop, which every call checks.
package final class StoreTrouble: @unchecked Sendable {
    /// Reading may work while writing does not: a success of one says nothing of the other.
    package enum Access: Hashable, Sendable { case reading, writing }

    /// What fails, and since when.
    package struct Standing: Sendable, Equatable {
        package let sentence: String
        package let since: Date
    }

    private let loop: EventLoop
    private let now: @Sendable () -> Moment
    private let log: Log
    private var standings: [Access: Standing] = [:]

    /// Seconds between two tries.
    private static let pause = 1.0

    /// - Parameters:
    ///   - loop: the loop that everybody who waits runs on.
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

    /// What fails at the moment; nil when nothing does.
    package var standing: Standing? {
        loop.checkIsolated()
        return standings[.writing] ?? standings[.reading]
    }

    /// Does something with the store until it works.
    ///
    /// - Parameters:
    ///   - access: what is done.
    ///   - isStopping: whether the daemon comes to its end, so that nothing is tried again; asked after each failure.
    ///   - body: one try. It runs again after each failure, so it looks at what is to be stored each time.
    /// - Returns: what `body` returned; nil when the daemon stopped first.
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
                note(error, access)
                if isStopping() { return nil }
                await loop.sleep(seconds: Self.pause)
            }
        }
    }

    private func note(_ error: StoreError, _ access: Access) {
        guard standings[access]?.sentence != error.sentence else { return }
        standings[access] = Standing(sentence: error.sentence, since: now().wall)
        log.error("the store is in trouble, and is tried again", ["reason": error])
    }
}
