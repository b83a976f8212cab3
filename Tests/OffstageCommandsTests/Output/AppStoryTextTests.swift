// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import OffstageCore
import OffstageTestSupport
import Testing

@Suite struct AppStoryTextTests {
    /// One of every happening, with its sentence.
    static let sentences: [(AppEntry.Happening, String)] = [
        (.registered, "registered"),
        (.launching(.person), "being launched: a person opened it"),
        (.launching(.personInBackground), "being launched in the background: a person asked for it"),
        (.launching(.sessionEvents("up")), "being launched in the background: session 'up' has something for it"),
        (.launchFailed("the executable is gone"), "could not be launched: the executable is gone"),
        (
            .launchDelayed(.sessionEvents("up"), seconds: 10, "it crashed twice in a row"),
            "not launched for 10 s, although session 'up' has something for it: it crashed twice in a row"
        ),
        (.attached(process: 7), "process 7 has connected"),
        (.moved(from: .terminated, to: .launching, .launched(.person)), "launching: a person opened it"),
        (.moved(from: .launching, to: .active, .person), "active: a person brought it to the front"),
        (.moved(from: .active, to: .background, .person), "in background: a person sent it there"),
        (.moved(from: .active, to: .background, .app), "in background: its window is no longer visible"),
        (.moved(from: .suspended, to: .background, .app), "in background: the app says so"),
        (.moved(from: .background, to: .inactive, .app), "inactive: its window is visible"),
        (.moved(from: .inactive, to: .active, .app), "active: applicationDidBecomeActive has returned"),
        (.moved(from: .suspended, to: .launching, .app), "launching: its process has connected"),
        (.moved(from: .active, to: .background, .terminal), "in background: its terminal was given back to the shell"),
        (.moved(from: .background, to: .active, .terminal), "active: it is in the terminal's foreground again"),
        (.moved(from: .background, to: .suspended, .nothingToDo), "suspended: no background task was open"),
        (
            .moved(from: .suspended, to: .background, .sessionEvents("up")),
            "in background: session 'up' has something for it"
        ),
        (.moved(from: .suspended, to: .background, .openTasks(1)), "in background: a background task is open"),
        (.moved(from: .suspended, to: .background, .openTasks(2)), "in background: 2 background tasks are open"),
        (.moved(from: .active, to: .inactive, .system), "inactive: the system decided it"),
        (.moved(from: .suspended, to: .terminated, .system), "not running: its process has ended"),
        (.woken(.sessionEvents("up")), "woken: session 'up' has something for it"),
        (.handledEvents(session: "up"), "has handled the events of session 'up'"),
        (.launching(.task("sync")), "being launched in the background: deferred task 'sync' is to run"),
        (.woken(.task("sync")), "woken: deferred task 'sync' is to run"),
        (.taskBegan("sync"), "deferred task 'sync' has begun"),
        (.taskExpiring("sync", .timeOver), "deferred task 'sync' is told to end, since its time was over"),
        (.taskEnded("sync", .completed(success: true)), "deferred task 'sync' was completed"),
        (.taskEnded("sync", .appEnded(.exited(1))), "deferred task 'sync' was cut short: its app ended with status 1"),
        (
            .killed(.taskTooLong(identifier: "sync", seconds: 30)),
            "killed: deferred task 'sync' was told to end and was not completed after 30 s"
        ),
        (
            .expiring(tasks: [.init(name: "upload", seconds: 25.04), .init(name: "sync", seconds: 2)]),
            "its time is nearly over, and it was notified: 'upload' was held for 25 s, 'sync' for 2 s"
        ),
        (.memoryWarning, "warned that memory is low"),
        (
            .debugged(by: 77),
            "held by a debugger, process 77: not suspended, and no time limit applies, until that detaches"
        ),
        (.toldToEnd(.terminated), "told to end: it was to be terminated"),
        (
            .killed(.backgroundTimeOver(seconds: 30, tasks: [.init(name: "upload", seconds: 30.1)])),
            "killed: its 30 s in the background were over: 'upload' was held for 30.1 s"
        ),
        (
            .killed(.didEnterBackgroundTooLong(seconds: 5)),
            "killed: applicationDidEnterBackground had not returned after 5 s"
        ),
        (
            .killed(.eventsTooLong(session: "up", seconds: 30)),
            "killed: the call for the events of session 'up' had not returned after 30 s"
        ),
        (.killed(.launchTooLong(seconds: 20)), "killed: it had not finished launching after 20 s"),
        (.killed(.terminateTooLong(seconds: 5)), "killed: it was told to end and had not done so after 5 s"),
        (.killed(.memoryPressure), "killed: memory was low, and it was suspended"),
        (.killed(.terminated), "killed: it was to be terminated"),
        (.killed(.quit), "killed: a person quit it"),
        (.killed(.replaced), "killed: a person launched it again"),
        (.ended(.exited(0)), "its process has ended with exit status 0"),
        (.ended(.signalled(9)), "its process was ended by SIGKILL"),
        (.ended(.signalled(40)), "its process was ended by signal 40"),
        (.ended(.unknown), "its process has ended"),
        (.quit(cancelledTransfers: 0), "quit by a person: no transfer was cancelled"),
        (.quit(cancelledTransfers: 1), "quit by a person: 1 transfer was cancelled"),
        (.quit(cancelledTransfers: 40), "quit by a person: 40 transfers were cancelled"),
        (.found(process: 7, .suspended), "found by a new daemon as process 7, suspended"),
    ]

    @Test(arguments: sentences)
    func `what happened is one plain sentence`(happening: AppEntry.Happening, sentence: String) {
        #expect(AppStoryText.sentence(happening) == sentence)
    }

    @Test func `a line has the time to the millisecond, and another day a line of its own`() {
        var day = Format.day(noon)
        let suspended = AppSamples.entry(.moved(from: .background, to: .suspended, .nothingToDo), after: 0.12)
        let line = AppStoryText.lines(suspended, day: &day)
        #expect(line.count == 1)
        #expect(line[0].hasSuffix(":20.120 suspended: no background task was open"))
        let later = AppStoryText.lines(AppSamples.entry(.registered, after: 86_400), day: &day)
        #expect(later.count == 2)
        #expect(later[0].hasSuffix("-22:") && later[1].hasSuffix(":20.000 registered"))
        #expect(AppStoryText.lines(AppSamples.entry(.registered, after: 86_401), day: &day).count == 1)
    }

    @Test func `what an app calls its tasks writes nothing on the terminal`() {
        var day = Format.day(noon)
        let tasks = [AppEntry.HeldTask(name: "\u{1B}[2J\nred", seconds: 1)]
        let lines = AppStoryText.lines(AppSamples.entry(.expiring(tasks: tasks)), day: &day)
        #expect(lines.count == 1)
        #expect(lines[0].utf8.allSatisfy { $0 >= 32 })
    }

    @Test func `a moment just below a second is not shown with four digits`() {
        #expect(Format.clock(noon.addingTimeInterval(0.9996)).hasSuffix(":21.000"))
        #expect(Format.clock(noon.addingTimeInterval(0.007)).hasSuffix(":20.007"))
    }

    @Test(arguments: [(30.0, "30 s"), (0.5, "0.5 s"), (25.06, "25.1 s"), (29.96, "30 s"), (-1, "0 s")])
    func `seconds are shown with tenths where they count`(seconds: Double, text: String) {
        #expect(Format.seconds(seconds) == text)
    }
}
