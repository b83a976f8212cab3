// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import OffstageCore
package import OffstageProtocol

/// Apple's older background fetch: a refresh task that the daemon requests for the app, again and again.
extension TaskCenter {
    /// Sets the interval between two fetches, which remains until another is set; nil stops them. A planned fetch keeps
    /// its time, because apps set the interval at each launch.
    ///
    /// - Throws: `WireFailure` if the daemon stops first.
    package func setFetchInterval(_ request: SetFetchInterval, of facts: AppFacts) async throws -> SubmitTask.Reply {
        await waitUntilReady()
        let former = await apps.fetchInterval(of: facts.app)
        guard let seconds = request.seconds else {
            guard former != nil else { return SubmitTask.Reply(refusal: nil) }
            try await setInterval(nil, of: facts.app)
            if let record = plannedFetch(of: facts.app) {
                forget(record, .cancelled, as: .removed(record.request.number))
            }
            for record in runs.starting(TaskRequest.fetchIdentifier, of: facts.app, in: schedule) {
                cancelStarting(record, .cancelled)
            }
            try await untilDurable()
            return SubmitTask.Reply(refusal: nil)
        }
        let draft = Self.fetch(after: max(seconds, TaskRequest.leastFetchInterval), now: clock.now())
        try await register(facts)
        if let refusal = refusal(of: draft, by: facts, isFetch: true) {
            records.add(refusal, of: draft, app: facts.app)
            try await setInterval(nil, of: facts.app)
            try await untilDurable()
            return SubmitTask.Reply(refusal: TaskRefusal(code: refusal.code, sentence: refusal.sentence))
        }
        try await setInterval(seconds, of: facts.app)
        // When a running fetch ends, the next one is requested.
        let isUnderWay = runs.records(in: schedule, app: facts.app).contains {
            $0.request.identifier == TaskRequest.fetchIdentifier
        }
        let isPlanned = plannedFetch(of: facts.app) != nil
        if isPlanned ? former != seconds : !isUnderWay { planFetch(of: facts.app) }
        try await untilDurable()
        return SubmitTask.Reply(refusal: nil)
    }

    /// Whether a request is for a fetch.
    func isFetch(_ request: TaskRequest) -> Bool {
        guard request.identifier == TaskRequest.fetchIdentifier else { return false }
        return apps.assumeIsolated { $0.fetchInterval(of: request.app) } != nil
    }

    /// Requests the next fetch, replacing a waiting one.
    func planFetch(of app: String) {
        guard let seconds = apps.assumeIsolated({ $0.fetchInterval(of: app) }) else { return }
        let lead = clock.lead.seconds
        var draft = Self.fetch(after: max(seconds, TaskRequest.leastFetchInterval), now: clock.now())
        // Adjusted as if requested by the app, whose clock has not been advanced.
        draft.earliestBegin = draft.earliestBegin?.addingTimeInterval(-lead)
        accept(draft, nonce: nil, app: app)
    }

    private func plannedFetch(of app: String) -> TaskRecord? {
        schedule.number(of: TaskRequest.fetchIdentifier, app: app).flatMap { schedule.record($0) }
    }

    private func setInterval(_ seconds: Double?, of app: String) async throws {
        let isKept = await apps.setFetchInterval(seconds, of: app)
        guard isKept else { throw WireFailure.isStopping }
    }

    private static func fetch(after seconds: Double, now: Moment) -> TaskDraft {
        TaskDraft(
            identifier: TaskRequest.fetchIdentifier,
            kind: .refresh,
            earliestBegin: CalendarDates.nearest(to: now.wall.addingTimeInterval(seconds))
        )
    }
}
