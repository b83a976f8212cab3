// SPDX-License-Identifier: Apache-2.0
public import Foundation
package import OffstageCore
package import OffstageProtocol

/// Work that the app wants to be launched for: one of the kinds below.
///
/// <https://developer.apple.com/documentation/backgroundtasks/bgtaskrequest>
open class BGTaskRequest: NSObject, NSCopying {
    /// Which task: one of those that the app's `Info.plist` permits, and that it has registered a handler for.
    public let identifier: String
    /// The task runs not before then; nil for as soon as may be.
    open var earliestBeginDate: Date?

    package init(named identifier: String) {
        self.identifier = identifier
        super.init()
    }

    /// The kind that the daemon knows it by.
    package var kind: TaskRequest.Kind { Misuse.stop("BGTaskRequest", "one of its subclasses is to be submitted") }

    /// A copy, which changes with nothing else.
    open func copy(with zone: NSZone? = nil) -> Any { Self.make(from: draft) }

    /// Its class, identifier and date.
    override open var description: String {
        "<\(type(of: self)): \(identifier), earliestBeginDate: \(earliestBeginDate.map { "\($0)" } ?? "none")>"
    }

    // MARK: - What the daemon is told

    /// As the daemon takes it.
    package var draft: TaskDraft {
        TaskDraft(identifier: identifier, kind: kind, earliestBegin: earliestBeginDate)
    }

    /// Takes over what a draft says besides identifier and kind.
    package func take(_ draft: TaskDraft) { earliestBeginDate = draft.earliestBegin }

    /// The request that a draft was made from.
    package static func make(from draft: TaskDraft) -> BGTaskRequest {
        let request: BGTaskRequest =
            switch draft.kind {
            case .refresh: BGAppRefreshTaskRequest(identifier: draft.identifier)
            case .processing: BGProcessingTaskRequest(identifier: draft.identifier)
            case .healthResearch: BGHealthResearchTaskRequest(identifier: draft.identifier)
            case .continued:
                BGContinuedProcessingTaskRequest(
                    identifier: draft.identifier,
                    title: draft.title,
                    subtitle: draft.subtitle
                )
            }
        request.take(draft)
        return request
    }
}
