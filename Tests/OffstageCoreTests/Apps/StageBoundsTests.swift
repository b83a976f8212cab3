// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct `What an app's process says of itself has bounds` {
    private static let budget = StageBudget()
    private static let long = String(repeating: "ü", count: 4000)

    @Test func `texts for people are cut between their characters`() throws {
        let began = StageReport.beganTask(BackgroundTask(id: 1, name: Self.long, beganAt: 5))
        guard case .beganTask(let task) = try began.checked() else { return #expect(Bool(false), "It is another.") }
        #expect(task.name == String(repeating: "ü", count: Self.budget.taskName / 2))
        #expect(task.id == 1 && task.beganAt == 5)
        let progress = TaskProgress(title: Self.long, subtitle: "of 3", completed: 1, total: 3)
        guard case .taskProgress(7, let cut) = try StageReport.taskProgress(7, progress).checked() else {
            return #expect(Bool(false), "It is another.")
        }
        #expect(cut.title.utf8.count == Self.budget.progressText && cut.subtitle == "of 3")
        #expect(try StageReport.launched.checked() == .launched)
    }

    @Test func `a session that none can have is refused`() throws {
        #expect(throws: RequestError.self) { try StageReport.handled(session: Self.long).checked() }
        #expect(throws: RequestError.self) { try StageReport.announced(session: Self.long).checked() }
        #expect(throws: RequestError.self) { try StageView(unhandled: [Self.long]).checked() }
        #expect(try StageView(unhandled: ["photos"]).checked().unhandled == ["photos"])
    }

    @Test func `lists are as long as those of any process, and of background tasks the first are kept`() throws {
        let numbers = (0...UInt64(Self.budget.deferredTasks))
        let sessions = (0...Self.budget.sessions).map { "\($0)" }
        let running = Dictionary(uniqueKeysWithValues: numbers.map { ($0, true) })
        let completed = numbers.map { TaskCompletion(number: $0, success: true) }
        #expect(throws: RequestError.self) { try StageView(unhandled: sessions).checked() }
        #expect(throws: RequestError.self) { try StageView(runningTasks: running).checked() }
        #expect(throws: RequestError.self) { try StageView(completedTasks: completed).checked() }
        let tasks = (0...Self.budget.backgroundTasks).map { BackgroundTask(id: $0, name: Self.long, beganAt: 0) }
        let view = try StageView(tasks: tasks).checked()
        #expect(view.tasks.map(\.id) == Array(0..<Self.budget.backgroundTasks))
        #expect(view.tasks.allSatisfy { $0.name.utf8.count == Self.budget.taskName })
    }

    @Test func `a name that no session can have is cut in a story`() {
        let moment = Fixture.moment(0)
        let cut = Self.long.first(bytes: SessionName.longestIdentifier)
        let happenings: [(AppEntry.Happening, AppEntry.Happening)] = [
            (.handledEvents(session: Self.long), .handledEvents(session: cut)),
            (.eventsNotHandled(session: Self.long, seconds: 1), .eventsNotHandled(session: cut, seconds: 1)),
            (
                .killed(.eventsTooLong(session: Self.long, seconds: 1)),
                .killed(.eventsTooLong(session: cut, seconds: 1))
            ),
            (.handledEvents(session: "photos"), .handledEvents(session: "photos")),
        ]
        for (happening, expected) in happenings {
            #expect(AppEntry(at: moment, happening).abbreviated.happening == expected)
        }
    }
}
