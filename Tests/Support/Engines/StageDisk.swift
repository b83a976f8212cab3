// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageStore
import OffstageTestSupport

/// The disk under a stage's store: full for as long as a test wants, and cut off at a chosen step.
package final class StageDisk: Sendable {
    /// Where the machine is cut off.
    package struct Cut: Sendable {
        /// The number of the commit from now on, counted from 1.
        package var commit: Int
        /// Whether that commit is durable but no client has been notified.
        package var isAfter: Bool

        package init(commit: Int, isAfter: Bool) { (self.commit, self.isAfter) = (commit, isAfter) }
    }

    private struct State: Sendable {
        var isFull = false
        var isUnreadable = false
        var latency = 0.0
        var isCut = false
        var commits = 0
        var cut: Cut?
    }

    private let state = Monitor(State())
    private let path: String

    init(path: String) { self.path = path }

    /// Whether nothing can be written.
    package var isFull: Bool {
        get { state.withLock(\.isFull) }
        set { state.withLock { $0.isFull = newValue } }
    }

    /// Whether nothing can be read.
    package var isUnreadable: Bool {
        get { state.withLock(\.isUnreadable) }
        set { state.withLock { $0.isUnreadable = newValue } }
    }

    /// Seconds that a commit takes.
    package var latency: Double {
        get { state.withLock(\.latency) }
        set { state.withLock { $0.latency = newValue } }
    }

    /// How many commits have been made so far.
    package var commits: Int { state.withLock(\.commits) }

    /// Cuts the machine off at one of its next commits.
    package func cutOff(at cut: Cut) {
        state.withLock { $0.cut = Cut(commit: $0.commits + cut.commit, isAfter: cut.isAfter) }
    }

    /// Whether the machine was cut off: nothing is read or written any more.
    package var isCut: Bool { state.withLock(\.isCut) }
    func cutOff() { state.withLock { $0.isCut = true } }

    func survives(_ step: VirtualStoreService.Step) -> Bool {
        state.withLock { state in
            guard !state.isCut else { return false }
            switch step {
            case .read: break
            // A commit that the disk refuses does not count.
            case .commit where state.isFull: break
            case .commit:
                state.commits += 1
                if let cut = state.cut, !cut.isAfter, cut.commit == state.commits { state.isCut = true }
            case .committed:
                if let cut = state.cut, cut.isAfter, cut.commit == state.commits { state.isCut = true }
            }
            return !state.isCut
        }
    }

    func refusal(of step: VirtualStoreService.Step) -> StoreError? {
        state.withLock { state in
            switch step {
            case .read: state.isUnreadable ? .ioFailed(path: path, detail: "the test's disk") : nil
            case .commit, .committed: state.isFull ? .full(path: path) : nil
            }
        }
    }
}
