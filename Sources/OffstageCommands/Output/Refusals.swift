// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
package import OffstageProtocol

/// The message about transfers for which an action was refused: one sentence for each reason, not for each transfer.
package enum Refusals {
    /// - Parameter refusals: the daemon's refusals, in order.
    /// - Returns: sentences, in the order of their reasons' first occurrence.
    package static func sentences(_ refusals: [ActOnTransfers.Refusal]) -> [String] {
        var reasons: [String] = []
        var groups: [String: [ActOnTransfers.Refusal]] = [:]
        for refusal in refusals {
            let reason = reason(refusal)
            if groups[reason] == nil { reasons.append(reason) }
            groups[reason, default: []].append(refusal)
        }
        return reasons.compactMap { groups[$0].flatMap(sentence) }
    }

    /// The message about transfers that do not exist.
    package static func absent(_ ids: [TransferID]) -> String {
        "There is no transfer \(Submission.spans(ids)): 'offstage list' shows those that exist."
    }

    /// The message without the transfer's own number, which is equal for refusals with the same reason.
    private static func reason(_ refusal: ActOnTransfers.Refusal) -> String {
        guard refusal.failure.code != .notFound else { return "" }
        let own = "Transfer \(refusal.id) "
        let message = refusal.failure.message
        return message.hasPrefix(own) ? String(message.dropFirst(own.count)) : message
    }

    private static func sentence(_ group: [ActOnTransfers.Refusal]) -> String? {
        guard let first = group.first else { return nil }
        let others = group.dropFirst().map(\.id)
        if others.isEmpty { return first.failure.message }
        if first.failure.code == .notFound { return absent(group.map(\.id)) }
        return "\(first.failure.message) The same goes for \(Submission.spans(others))."
    }
}
