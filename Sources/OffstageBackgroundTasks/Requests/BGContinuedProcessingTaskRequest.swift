// SPDX-License-Identifier: Apache-2.0
public import Foundation
package import OffstageCore
package import OffstageProtocol

/// A request for work that the person has started in the app, and that continues when the app leaves the foreground. It
/// runs immediately.
///
/// <https://developer.apple.com/documentation/backgroundtasks/bgcontinuedprocessingtaskrequest>
open class BGContinuedProcessingTaskRequest: BGTaskRequest {
    /// What happens to a request that cannot run immediately.
    public enum SubmissionStrategy: Int, Sendable {
        /// The request is refused.
        case fail = 0
        /// The request waits for its turn.
        case queue = 1
    }

    /// The resources that a task needs in addition to the processor.
    public struct Resources: OptionSet, Sendable {
        /// The bits.
        public let rawValue: Int
        /// Creates a set of resources from its bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The GPU, in the background.
        public static let gpu = Resources(rawValue: 1)
    }

    /// The title that the person sees.
    open var title: String
    /// The subtitle, below the title.
    open var subtitle: String
    /// What happens if the request cannot run immediately.
    open var strategy = SubmissionStrategy.queue
    /// The resources that the task needs. A request for a resource that is not in `BGTaskScheduler.supportedResources`
    /// is refused.
    open var requiredResources: Resources = []

    /// Creates a request for the task with this identifier.
    ///
    /// - Parameters:
    ///   - identifier: the task's identifier; an entry in `Info.plist` that ends in `.*` may permit it.
    ///   - title: the title that the person sees.
    ///   - subtitle: the subtitle, below the title.
    public init(identifier: String, title: String, subtitle: String) {
        self.title = title
        self.subtitle = subtitle
        super.init(named: identifier)
    }

    override package var kind: TaskRequest.Kind { .continued }

    override package var draft: TaskDraft {
        TaskDraft(
            identifier: identifier,
            kind: kind,
            title: title,
            subtitle: subtitle,
            failsUnlessImmediate: strategy == .fail,
            requiresGPU: requiredResources.contains(.gpu)
        )
    }

    /// Returns an independent copy.
    override open func copy(with zone: NSZone? = nil) -> Any {
        let copy = super.copy(with: zone)
        // The date has no effect on when the task runs, so the daemon does not receive it.
        (copy as? BGTaskRequest)?.earliestBeginDate = earliestBeginDate
        return copy
    }

    override package func adopt(_ draft: TaskDraft) {
        super.adopt(draft)
        strategy = draft.failsUnlessImmediate ? .fail : .queue
        requiredResources = draft.requiresGPU ? .gpu : []
    }
}
