// SPDX-License-Identifier: Apache-2.0
public import Foundation
package import OffstageCore
package import OffstageProtocol

/// A request to launch the app for some work: one of the subclasses below.
///
/// <https://developer.apple.com/documentation/backgroundtasks/bgtaskrequest>
open class BGTaskRequest: NSObject, NSCopying {
    /// The task's identifier. The app's `Info.plist` must permit it, and the app must have registered a handler for it.
    public let identifier: String
    /// The earliest time at which the task may run; nil to run it as soon as possible.
    open var earliestBeginDate: Date?

    package init(named identifier: String) {
        self.identifier = identifier
        super.init()
    }

    /// The kind by which the daemon knows the request.
    package var kind: TaskRequest.Kind { Misuse.stop("BGTaskRequest", "submit one of its subclasses instead") }

    /// Returns an independent copy.
    open func copy(with zone: NSZone? = nil) -> Any { Self.make(from: draft) }

    /// The request's class, identifier and date.
    override open var description: String {
        "<\(type(of: self)): \(identifier), earliestBeginDate: \(earliestBeginDate.map { "\($0)" } ?? "none")>"
    }

    // MARK: - For the daemon

    /// The request in the form that the daemon accepts.
    package var draft: TaskDraft {
        TaskDraft(identifier: identifier, kind: kind, earliestBegin: earliestBeginDate)
    }

    /// Copies from a draft everything except the identifier and the kind.
    package func adopt(_ draft: TaskDraft) { earliestBeginDate = draft.earliestBegin }

    /// Creates the request that a draft describes.
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
        request.adopt(draft)
        return request
    }
}
