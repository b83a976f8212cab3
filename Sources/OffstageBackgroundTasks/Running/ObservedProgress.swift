// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization

/// A progress that reports when the app changes it. Where key-value observing exists, it would do that.
///
/// The app may complete its task on one thread while another thread counts, and Foundation's progress has no lock here.
/// The most recently set counts are therefore stored separately, and those are reported. Only children bypass the
/// overridable methods: once the progress has any, it is polled four times a second while they change, which keeps
/// their part of the report nearly right. Unchecked: like Foundation's, it may be changed on only one thread at a time;
/// its own variables are guarded by locks.
final class ObservedProgress: Progress, @unchecked Sendable {
    private struct Counts: Sendable {
        var completed: Int64 = 0
        var total: Int64 = 0
    }

    private let reports: ProgressReports
    /// The counts most recently set by the app.
    private let counts = Mutex(Counts())
    /// Polls the children's progress; nil if there are none.
    private let look = Mutex<(any DispatchSourceTimer)?>(nil)
    /// The total for a progress with children, whose own count does not include the children's.
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

    /// Stops polling: the task has ended, and its counts have been reported.
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
