// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageProtocol

/// Requests as apps write them, whose clock is not ahead, and as they are kept.
extension TaskRequest {
    /// - Parameters:
    ///   - draft: as the app wrote it.
    ///   - number: of the run.
    ///   - app: whose it is.
    ///   - lead: by how many seconds the daemon's time is ahead of the app's.
    ///   - submitted: when it came.
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

    /// As its app made it, whose clock the daemon's time is `lead` seconds ahead of.
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
