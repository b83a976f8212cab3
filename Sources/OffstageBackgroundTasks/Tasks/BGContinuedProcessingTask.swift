// SPDX-License-Identifier: Apache-2.0
public import Foundation
package import OffstageCore
import Synchronization

/// Work that the person has started in the app, and that continues when the app leaves the foreground. The person sees
/// its title and its progress, and may cancel it, which calls its expiration handler.
///
/// <https://developer.apple.com/documentation/backgroundtasks/bgcontinuedprocessingtask>
///
/// Unchecked: its state is guarded by a lock; the progress belongs to the app, which changes it on one thread at a
/// time.
open class BGContinuedProcessingTask: BGTask, ProgressReporting, @unchecked Sendable {
    private let words: Mutex<(title: String, subtitle: String)>
    private let observed: ObservedProgress
    private let reports: ProgressReports

    package init(
        _ launch: TaskLaunch,
        tell: @escaping @Sendable (TaskProgress) -> Void,
        ended: @escaping @Sendable (BGTask, Bool) -> Void
    ) {
        words = Mutex((launch.title, launch.subtitle))
        reports = ProgressReports(title: launch.title, subtitle: launch.subtitle, tell)
        observed = ObservedProgress(reports)
        super.init(launch, ended: ended)
    }

    /// The title that the person sees.
    open var title: String { words.withLock { $0.title } }
    /// The subtitle, below the title.
    open var subtitle: String { words.withLock { $0.subtitle } }
    /// The task's progress. The app's changes become visible to the person at most a quarter of a second later.
    open var progress: Progress { observed }

    /// Changes the title and subtitle that the person sees.
    open func updateTitle(_ title: String, subtitle: String) {
        words.withLock { $0 = (title, subtitle) }
        reports.change { progress in
            progress.title = title
            progress.subtitle = subtitle
        }
    }

    override package func willEnd() {
        observed.end()
        reports.end()
    }

    override package func reportAgain() { reports.reportAgain() }
}
