// SPDX-License-Identifier: Apache-2.0
public import Foundation
package import OffstageCore
package import OffstageProtocol

/// Work that the person has begun in the app, and that goes on when the app leaves the front. It runs at once.
///
/// <https://developer.apple.com/documentation/backgroundtasks/bgcontinuedprocessingtaskrequest>
open class BGContinuedProcessingTaskRequest: BGTaskRequest {
    /// What becomes of a request that cannot run at once.
    public enum SubmissionStrategy: Int, Sendable {
        /// It is refused.
        case fail = 0
        /// It waits for its turn.
        case queue = 1
    }

    /// What a task needs besides the processor.
    public struct Resources: OptionSet, Sendable {
        /// The bits.
        public let rawValue: Int
        /// Resources of these bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The graphics processor, in background.
        public static let gpu = Resources(rawValue: 1)
    }

    /// What the person reads of it.
    open var title: String
    /// What the person reads beneath the title.
    open var subtitle: String
    /// What becomes of it when it cannot run at once.
    open var strategy = SubmissionStrategy.queue
    /// What it needs; a request for what `BGTaskScheduler.supportedResources` lacks is refused.
    open var requiredResources: Resources = []

    /// A request for the task with this identifier.
    ///
    /// - Parameters:
    ///   - identifier: may be permitted in `Info.plist` by an entry that ends in `.*`.
    ///   - title: what the person reads of it.
    ///   - subtitle: what the person reads beneath.
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

    /// A copy, which changes with nothing else.
    override open func copy(with zone: NSZone? = nil) -> Any {
        let copy = super.copy(with: zone)
        // Without effect on when it runs, and so not the daemon's affair.
        (copy as? BGTaskRequest)?.earliestBeginDate = earliestBeginDate
        return copy
    }

    override package func take(_ draft: TaskDraft) {
        super.take(draft)
        strategy = draft.failsUnlessImmediate ? .fail : .queue
        requiredResources = draft.requiresGPU ? .gpu : []
    }
}
