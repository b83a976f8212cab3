// SPDX-License-Identifier: Apache-2.0
import Offstage
import OffstageBackgroundTasks
import OffstageCore
import OffstageTestSupport
import Testing

/// Tasks as a handler sees them, without a daemon.
@Suite struct RunningTaskTests {
    private let ends = Monitor<[String]>([])

    private func launch(_ kind: TaskRequest.Kind = .refresh) -> TaskLaunch {
        TaskLaunch(number: 1, identifier: "work", kind: kind, seconds: 30, title: "Export", subtitle: "begins")
    }

    private func makeTask() -> BGAppRefreshTask {
        BGAppRefreshTask(launch()) { [ends] task, success in
            ends.withLock { $0.append("\(task.identifier) \(success)") }
        }
    }

    @Test func `a task is completed once, and its expiration handler is gone then`() {
        let task = makeTask()
        #expect(task.identifier == "work" && task.expirationHandler == nil)
        task.expirationHandler = {}
        #expect(task.expirationHandler != nil)
        task.setTaskCompleted(success: true)
        #expect(task.expirationHandler == nil)
        task.setTaskCompleted(success: false)
        task.expirationHandler = {}
        #expect(task.expirationHandler == nil)
        task.expire()
        #expect(ends.withLock { $0 } == ["work true"])
    }

    @Test func `an expiration handler is called once, beside whatever else waits, and is nil then`() {
        let (task, other) = (makeTask(), makeTask())
        let calls = Monitor<[String]>([])
        let isReleased = Monitor(false)
        other.expirationHandler = { _ = isReleased.wait(TimeLimit(seconds: 20)) { $0 ? true : nil } }
        task.expirationHandler = { [weak task] in
            calls.withLock { $0.append(task?.expirationHandler == nil ? "nil" : "set") }
        }
        other.expire()
        task.expire()
        let called = calls.wait(TimeLimit(seconds: 20)) { $0.isEmpty ? nil : $0 }
        isReleased.withLock { $0 = true }
        #expect(called == ["nil"])
        task.expire()
        #expect(ends.withLock { $0 }.isEmpty, "The task is the handler's to complete.")
        task.setTaskCompleted(success: false)
        #expect(ends.withLock { $0 } == ["work false"])
    }

    @Test func `a task without an expiration handler is completed without success when its time is over`() {
        let task = makeTask()
        task.expire()
        task.setTaskCompleted(success: true)
        #expect(ends.withLock { $0 } == ["work false"])
    }

    @Test func `progress and titles are told, the last of them before the end`() {
        let end = TaskProgress(title: "", subtitle: "", completed: -1, total: -1)
        let told = Monitor<[TaskProgress]>([])
        let task = BGContinuedProcessingTask(
            launch(.continued),
            tell: { progress in told.withLock { $0.append(progress) } },
            ended: { _, _ in told.withLock { $0.append(end) } }
        )
        #expect(task.title == "Export" && task.subtitle == "begins")
        task.progress.totalUnitCount = 1000
        for count in 1...1000 as ClosedRange<Int64> { task.progress.completedUnitCount = count }
        task.updateTitle("Exported", subtitle: "done")
        #expect(task.title == "Exported" && task.subtitle == "done")
        task.setTaskCompleted(success: true)
        let all = told.withLock { $0 }
        #expect(all.count < 20, "They are told four times a second at most.")
        #expect(all.dropLast().last == TaskProgress(title: "Exported", subtitle: "done", completed: 1000, total: 1000))
        #expect(all.last == end)
    }

    @Test func `a task is completed on one thread while another counts`() {
        let task = BGContinuedProcessingTask(launch(.continued), tell: { _ in }, ended: { _, _ in })
        let isCounting = Monitor(false)
        let counted = Monitor(false)
        DispatchQueue(label: "counts").async {
            for count in 1...10_000 as ClosedRange<Int64> {
                task.progress.completedUnitCount = count
                if count == 100 { isCounting.withLock { $0 = true } }
            }
            counted.withLock { $0 = true }
        }
        #expect(isCounting.wait(TimeLimit(seconds: 20)) { $0 ? true : nil } == true)
        task.setTaskCompleted(success: true)
        #expect(counted.wait(TimeLimit(seconds: 20)) { $0 ? true : nil } == true)
    }

    @Test func `what a progress's children do is told, too`() {
        let told = Monitor<[TaskProgress]>([])
        let task = BGContinuedProcessingTask(
            launch(.continued),
            tell: { progress in told.withLock { $0.append(progress) } },
            ended: { _, _ in }
        )
        task.progress.totalUnitCount = 2
        let child = Progress(totalUnitCount: 10)
        task.progress.addChild(child, withPendingUnitCount: 1)
        child.completedUnitCount = 5
        let quarter = told.wait(TimeLimit(seconds: 20)) { told in told.last { $0.completed == 250 } }
        #expect(quarter?.total == 1000)
        task.setTaskCompleted(success: true)
    }
}
