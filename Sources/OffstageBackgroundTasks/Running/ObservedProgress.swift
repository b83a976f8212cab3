// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization

/// A progress that says so when the app changes it. Key-value observing would do that, where there is any.
///
/// The app may complete its task on one thread while another one counts, and Foundation's progress has no lock here: what
/// is told is what was set last, which is kept beside it. Only children do not go through what can be overridden: once it
/// has any, it is looked at four times a second, while they change, so that what is told of them is nearly right.
/// Unchecked: as Foundation's, it is to be changed on one thread at a time; its own variables are guarded by locks.
final class ObservedProgress: Progress, @unchecked Sendable {
    private struct Counts: Sendable {
        var completed: Int64 = 0
        var total: Int64 = 0
    }

    private let reports: ProgressReports
    /// As the app has set them last.
    private let counts = Mutex(Counts())
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
            counts.withLock { $0.completed = newValue }
            hasChanged()
        }
    }

    override var totalUnitCount: Int64 {
        get { super.totalUnitCount }
        set {
            super.totalUnitCount = newValue
            counts.withLock { $0.total = newValue }
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

    /// The task is over: what has been set of it was told of.
    func end() {
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
        let counts = counts.withLock { $0 }
        let (completed, total) =
            isWhole || counts.total <= 0
            ? (counts.completed, counts.total)
            : (Int64(max(0, min(1, fractionCompleted)) * Self.scale), Int64(Self.scale))
        reports.change { progress in
            progress.completed = completed
            progress.total = total
        }
    }
}
