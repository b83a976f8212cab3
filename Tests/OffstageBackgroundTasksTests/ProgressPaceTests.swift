// SPDX-License-Identifier: Apache-2.0
import OffstageBackgroundTasks
import OffstageCore
import Testing

@Suite struct ProgressPaceTests {
    private func progress(_ completed: Int64) -> TaskProgress {
        TaskProgress(title: "Export", subtitle: "", completed: completed, total: 10)
    }

    @Test func `the first change is told at once, the next a quarter of a second later with what has come since`() {
        var pace = ProgressPace(progress(0))
        var steps = [pace.change(now: 100) { $0.completed = 1 }]
        steps.append(pace.change(now: 100.125) { $0.completed = 2 })
        steps.append(pace.change(now: 100.2) { $0.completed = 3 })
        steps.append(pace.due(now: 100.25))
        steps.append(pace.change(now: 101) { $0.completed = 4 })
        #expect(
            steps == [
                .report(progress(1)), .wait(seconds: 0.125), .nothing, .report(progress(3)), .report(progress(4)),
            ]
        )
    }

    @Test func `what changes nothing is not told, and the end tells what was not`() {
        var pace = ProgressPace(progress(0))
        var steps = [pace.change(now: 1) { $0.completed = 0 }, pace.end(now: 2)]
        steps.append(pace.change(now: 3) { $0.completed = 1 })
        steps.append(pace.change(now: 3.125) { $0.completed = 2 })
        steps.append(pace.end(now: 3.125))
        steps.append(pace.due(now: 3.25))
        #expect(
            steps == [.nothing, .nothing, .report(progress(1)), .wait(seconds: 0.125), .report(progress(2)), .nothing]
        )
    }
}
