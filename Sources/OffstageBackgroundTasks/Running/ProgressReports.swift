// SPDX-License-Identifier: Apache-2.0
import Foundation
import OffstageCore
import Synchronization

/// Reports one task's progress to the daemon, at the pace of `ProgressPace`. From any thread.
final class ProgressReports: Sendable {
    private struct State: Sendable {
        var pace: ProgressPace
        var isOver = false
    }

    private let state: Mutex<State>
    private let tell: @Sendable (TaskProgress) -> Void
    /// Sends reports in the order in which they were decided.
    private let queue = DispatchQueue(label: "offstage.progress")

    init(title: String, subtitle: String, _ tell: @escaping @Sendable (TaskProgress) -> Void) {
        let beginning = TaskProgress(title: title, subtitle: subtitle, completed: 0, total: 0)
        state = Mutex(State(pace: ProgressPace(beginning)))
        self.tell = tell
    }

    func change(_ body: (inout TaskProgress) -> Void) {
        carryOut { state in
            state.isOver ? .nothing : state.pace.change(now: Self.now, body)
        }
    }

    /// Reports a value that has not been reported yet, and nothing after it.
    func end() {
        carryOut { state in
            guard !state.isOver else { return .nothing }
            state.isOver = true
            return state.pace.end(now: Self.now)
        }
        // The task's completion, which follows, must be sent after the last report.
        queue.sync {}
    }

    func reportAgain() { carryOut { $0.isOver ? .nothing : .report($0.pace.progress) } }

    private func carryOut(_ decide: (inout State) -> ProgressPace.Step) {
        let tell = self.tell
        let wait: Double? = state.withLock { state in
            switch decide(&state) {
            case .nothing: return nil
            case .report(let progress):
                queue.async { tell(progress) }
                return nil
            case .wait(let seconds): return seconds
            }
        }
        guard let wait else { return }
        queue.asyncAfter(deadline: .now() + wait) { [weak self] in
            self?.carryOut { $0.isOver ? .nothing : $0.pace.due(now: Self.now) }
        }
    }

    private static var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }
}
