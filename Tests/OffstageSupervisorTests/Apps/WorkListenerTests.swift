// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageSupervisor
import OffstageTestSupport
import Testing

@Suite struct `What deferred work is told of apps` {
    private let told = Monitor<[String]>([])
    private var listener = WorkListener()

    init() {
        let told = told
        listener.hold = { app, hold in told.withLock { $0.append("\(app) \(hold.map { "\($0)" } ?? "free")") } }
        listener.number = { number in told.withLock { $0.append("\(number)") } }
    }

    private var log: [String] { told.withLock { $0 } }

    @Test func `a hold is told when it comes and when it goes`() {
        let app = SupervisedApp.sample(isQuit: true)
        listener.reportHold(of: app, at: .sample())
        listener.reportHold(of: app, at: .sample(uptime: 200))
        app.life = SupervisedApp.sample().life
        listener.reportHold(of: app, at: .sample())
        listener.reportHold(of: app, at: .sample())
        #expect(log == ["org.example.app quit", "org.example.app free"])
    }

    @Test func `an app that nothing has ever held is not told of`() {
        listener.reportHold(of: .sample(), at: .sample())
        #expect(log == [])
    }

    @Test func `the highest number that a process remembers is told`() {
        listener.reportNumbers(of: StageView(state: .active))
        #expect(log == [])
        let completions = [TaskCompletion(number: 9, success: true), TaskCompletion(number: 4, success: true)]
        listener.reportNumbers(of: StageView(state: .active, runningTasks: [7: true], completedTasks: completions))
        listener.reportNumbers(of: StageView(state: .active, runningTasks: [7: true]))
        #expect(log == ["9", "7"])
    }

    @Test func `numbers of errands do not hide those of requests`() {
        let errand = TaskCompletion(number: TaskLaunch.firstErrandNumber + 5, success: true)
        listener.reportNumbers(of: StageView(state: .active, completedTasks: [errand]))
        #expect(log == [])
        listener.reportNumbers(of: StageView(state: .active, runningTasks: [7: true], completedTasks: [errand]))
        #expect(log == ["7"])
    }
}
