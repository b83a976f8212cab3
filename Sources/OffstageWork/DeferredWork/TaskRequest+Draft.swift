// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageProtocol

/// Converts requests between apps, whose clock has not been advanced, and the daemon.
extension TaskRequest {
    /// - Parameters:
    ///   - draft: the app's draft.
    ///   - number: the number of the run.
    ///   - app: the app of the request.
    ///   - lead: how many seconds the daemon's time is ahead of the app's.
    ///   - submitted: when it arrived.
    init(_ draft: TaskDraft, number: UInt64, app: String, lead: Double, submitted: Moment) {
        let isContinued = draft.kind == .continued
        self.init(
            number: number,
            app: app,
            identifier: draft.identifier,
            kind: draft.kind,
            earliestBegin: isContinued ? nil : draft.earliestBegin?.addingTimeInterval(lead),
            requiresNetwork: draft.requiresNetwork,
            requiresExternalPower: draft.requiresExternalPower,
            title: isContinued ? draft.title : "",
            subtitle: isContinued ? draft.subtitle : "",
            submitted: submitted
        )
    }

    /// The request as its app made it; the daemon's time is `lead` seconds ahead of the app's.
    func draft(lead: Double) -> TaskDraft {
        TaskDraft(
            identifier: identifier,
            kind: kind,
            earliestBegin: earliestBegin?.addingTimeInterval(-lead),
            requiresNetwork: requiresNetwork,
            requiresExternalPower: requiresExternalPower,
            title: title,
            subtitle: subtitle
        )
    }
}
