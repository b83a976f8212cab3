// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
package import OffstageCore

/// The present of transfers, and their known future, for the timeline.
extension TransferQueue {
    package struct TimelinePresent: Sendable {
        /// The attempts under way.
        package var attempts: [TimelineSpan] = []
        /// The files of these transfers.
        package var paths: [TransferID: String] = [:]
        package var expected: [TimelineExpectation] = []
        package var hours: [TimelineHours] = []
    }

    /// The maximum number of deadlines that are examined, and of waiting transfers that are read for them.
    private static let mostDeadlines = 2048
    private static let mostExpected = 256
    /// The maximum size of their texts in bytes, as a part of one frame.
    private static let expectedBytes = 1 << 17

    /// - Parameter end: how far into the future to look.
    /// - Returns: the present, and the known future.
    package func timelinePresent(until end: Date) async -> TimelinePresent {
        var present = TimelinePresent()
        let now = registry.now()
        for entry in registry.live.values {
            let transfer = entry.visible
            guard case .running(let attempt) = transfer.state else { continue }
            let seen = TimelineAttempt(of: transfer, attempt, .underWay)
            present.attempts.append(TimelineSpan(since: attempt.startedAt, until: now, .attempt(seen)))
            present.paths[transfer.id] = transfer.spec.path
        }
        present.hours = agenda.hours(until: end)
        present.expected = await expected(until: end)
        return present
    }

    private func expected(until end: Date) async -> [TimelineExpectation] {
        // The deadlines of transfers in line are for their whole duration.
        var seen: Set<TransferID> = []
        let ids = agenda.nextDeadlines(until: end, limit: Self.mostDeadlines)
            .filter { !registry.schedule.isQueued($0) && !registry.schedule.isRunning($0) && seen.insert($0).inserted }
            .prefix(Self.mostExpected)
        var room = Self.expectedBytes
        return await snapshots(Array(ids)).compactMap { snapshot in
            let transfer = snapshot.transfer
            guard transfer.state.kind == .waiting, let date = snapshot.reason.nextLook, date <= end else { return nil }
            room -= transfer.spec.path.utf8.count + transfer.spec.owner.utf8.count  // checked: of texts in memory
            guard room > 0 else { return nil }
            return TimelineExpectation(
                transfer: transfer.id,
                owner: transfer.spec.owner,
                host: transfer.spec.url.hostKey,
                isUpload: transfer.spec.isUpload,
                path: transfer.spec.path,
                date: date,
                cause: snapshot.reason.timelineCause
            )
        }
    }
}

extension Reason {
    fileprivate var timelineCause: TimelineExpectation.Cause {
        switch cause {
        case .retry: .retry
        case .earliestBegin: .beginDate
        default: .look
        }
    }
}
