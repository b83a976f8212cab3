// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization

/// A progress that says so when the app changes it. Key-value observing would do that, where there is any.
///
/// Its children do not go through what can be overridden: once it has any, it is looked at four times a second.
/// Unchecked: as Foundation's, it is to be changed on one thread at a time; its own variable is guarded by a lock.
final class ObservedProgress: Progress, @unchecked Sendable {
    private let reports: ProgressReports
    /// Looks at what the children have done; nil without children.
    private let look = Mutex<(any DispatchSourceTimer)?>(nil)
    /// Of one with children, whose own count says nothing of theirs.
    private static let scale = 1000.0

    init(_ reports: ProgressReports) {
        self.reports = reports
        super.init(parent: nil, userInfo: nil)
    }

    override var completedUnitCount: Int64 {
        get { super.completedUnitCount }
        set {
            super.completedUnitCount = newValue
            hasChanged()
        }
    }

    override var totalUnitCount: Int64 {
        get { super.totalUnitCount }
        set {
            super.totalUnitCount = newValue
            hasChanged()
        }
    }

    override func addChild(_ child: Progress, withPendingUnitCount inUnitCount: Int64) {
        super.addChild(child, withPendingUnitCount: inUnitCount)
        hasChildren()
    }

    override func becomeCurrent(withPendingUnitCount unitCount: Int64) {
        super.becomeCurrent(withPendingUnitCount: unitCount)
        hasChildren()
    }

    /// The task is over.
    func end() {
        hasChanged()
        look.withLock { timer in
            timer?.cancel()
            timer = nil
        }
    }

    private func hasChildren() {
        look.withLock { timer in
            guard timer == nil else { return }
            let new = DispatchSource.makeTimerSource()
            new.schedule(deadline: .now() + ProgressPace.interval, repeating: ProgressPace.interval)
            new.setEventHandler { [weak self] in self?.hasChanged() }
            new.resume()
            timer = new
        }
    }

    private func hasChanged() {
        let isWhole = look.withLock { $0 == nil }
        let (completed, total) =
            isWhole || totalUnitCount <= 0
            ? (completedUnitCount, totalUnitCount)
            : (Int64(max(0, min(1, fractionCompleted)) * Self.scale), Int64(Self.scale))
        reports.change { progress in
            progress.completed = completed
            progress.total = total
        }
    }
}
