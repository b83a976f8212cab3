// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

@Suite struct TaskWordingTests {
    private static let causes: [TaskReason.Cause] = [
        .running, .starting, .earliestBegin, .appQuit, .appEnding, .appBackedOff(crashes: 3), .refreshOff, .noNetwork,
        .noExternalPower, .lowBattery(charge: 0.123, least: 0.2), .diskFull, .machineBusy,
        .budgetSpent(seconds: 14_400), .othersRun(running: 4, limit: 4), .retry(attempts: 2),
    ]

    @Test(arguments: causes)
    func `each reason fits a table, and says what to do`(cause: TaskReason.Cause) {
        let reason = TaskReason(cause: cause, since: Fixture.start)
        #expect((3...60).contains(reason.summary.count))
        #expect(reason.summary.last != ".")
        #expect(reason.advice.last == ".")
    }

    @Test func `reasons name what they are about`() {
        func summary(_ cause: TaskReason.Cause) -> String { TaskReason(cause: cause, since: Fixture.start).summary }
        #expect(summary(.lowBattery(charge: 0.123, least: 0.2)) == "battery at 12 %, below 20 % and not charging")
        #expect(summary(.budgetSpent(seconds: 14_400)) == "its app has used its 4 h for the day")
        #expect(summary(.budgetSpent(seconds: 1800)) == "its app has used its 30 min for the day")
        #expect(summary(.budgetSpent(seconds: 90)) == "its app has used its 90 s for the day")
        #expect(summary(.othersRun(running: 4, limit: 4)) == "4 tasks are running, the limit is 4")
        #expect(summary(.othersRun(running: 1, limit: 1)) == "1 task is running, the limit is 1")
        #expect(summary(.appBackedOff(crashes: 1)) == "its app crashed once")
        #expect(summary(.appBackedOff(crashes: 2)) == "its app crashed 2 times in a row")
    }

    @Test func `what became of a request is the end of a sentence`() {
        let outcomes: [TaskEntry.Outcome] = [
            .ended(.completed(success: true), started: Fixture.start, seconds: 3),
            .refused(code: 3, "a was not accepted"), .cancelled, .replaced, .dropped("its app was removed"),
            .interrupted("the machine stopped"),
        ]
        #expect(
            outcomes.map(\.summary) == [
                "completed", "refused: a was not accepted", "cancelled",
                "replaced by another request with its identifier",
                "dropped: its app was removed", "interrupted, and waits again: the machine stopped",
            ]
        )
    }
}
