// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// The usual events of a transfer are encoded directly, in a fraction of the time that `JSONEncoder` takes: with many
/// small files each follower receives thousands a second, and everything on the loop waits meanwhile.
extension TransferEvent: EncodedPayload {
    func encoded() throws -> [UInt8] {
        var event = JSONObjectText()
        switch self {
        case .changed(let row):
            guard let text = row.usualText else { break }
            event.add("changed", case: "_0", text)
            return event.finish()
        case .finished(let row):
            guard let text = row.usualText else { break }
            event.add("finished", case: "_0", text)
            return event.finish()
        case .progress, .removed: break
        }
        return Array(try JSONEncoder().encode(self))
    }
}

extension TransferRow {
    /// The row, unless it has a rare value.
    fileprivate var usualText: JSONObjectText? {
        guard form == nil, let reason = reason.usualText else { return nil }
        guard priority.isFinite, rate.isFinite, createdAt.isFinite, finishedAt?.isFinite != false else { return nil }
        var text = JSONObjectText()
        text.add("id", number: id.rawValue)
        text.add("isUpload", literal: isUpload ? "true" : "false")
        text.add("url", url)
        if let dialect { text.add("dialect", dialect) }
        if let standing { text.add("standing", standing) }
        text.add("path", path)
        text.add("owner", owner)
        if let label { text.add("label", label) }
        text.add("priority", literal: "\(priority)")
        text.add("kind", kind.rawValue)
        text.add("reason", object: reason)
        text.add("bytesDone", number: bytesDone)
        if let bytesTotal { text.add("bytesTotal", number: bytesTotal) }
        text.add("rate", literal: "\(rate)")
        text.add("attempts", number: Int64(attempts))
        text.add("createdAt", createdAt)
        if let finishedAt { text.add("finishedAt", finishedAt) }
        if let status { text.add("status", number: Int64(status)) }
        if let keeper { text.add("keeper", object: Self.text(of: keeper)) }
        return text
    }

    private static func text(of keeper: TransferKeeper) -> JSONObjectText {
        var text = JSONObjectText(capacity: 96)
        text.add("fleet", keeper.fleet)
        text.add("row", number: keeper.row)
        text.add("fence", number: Int64(keeper.fence))
        return text
    }
}

extension Reason {
    /// The reason, if the transfer is running or has completed.
    fileprivate var usualText: JSONObjectText? {
        guard nextLook == nil, since.isFinite else { return nil }
        var values = JSONObjectText(capacity: 32)
        var text = JSONObjectText(capacity: 96)
        switch cause {
        case .running: text.add("cause", case: "running", values)
        case .saving: text.add("cause", case: "saving", values)
        case .completed(let status):
            values.add("status", number: Int64(status))
            text.add("cause", case: "completed", values)
        default: return nil
        }
        text.add("since", since)
        return text
    }
}

extension Date {
    fileprivate var isFinite: Bool { timeIntervalSinceReferenceDate.isFinite }
}
