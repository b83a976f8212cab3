// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
import OffstageCore
package import OffstageProtocol

/// Everything about a transfer, for people.
package enum DetailText {
    /// The file's destination or origin.
    private static func place(_ detail: TransferDetail) -> (String, String) {
        let row = detail.row
        guard row.dialect == nil else { return (row.isUpload ? "To" : "From", row.url) }
        return ("URL", "\(detail.method) \(detail.url ?? row.url)")
    }

    package static func lines(_ detail: TransferDetail, now: Date) -> [String] {
        let row = detail.row
        var pairs: [(String, String)] = [
            (
                "Transfer",
                "\(row.id), \(row.isUpload ? "an upload" : "a download") of \(row.owner == "command" ? "this command" : row.owner)"
            ),
            ("State", TransferTable.state(row).text),
            ("Reason", reason(row)),
            ("Since", Format.fullTime(row.reason.since)),
        ]
        if let standing = row.standing { pairs.append(("Standing", standing)) }
        if let next = row.reason.nextLook { pairs.append(("Next check", Format.fullTime(next))) }
        if row.kind != .finished || row.result != .completed { pairs.append(("To do", row.advice)) }
        if let label = row.label { pairs.append(("Label", label)) }
        pairs.append(place(detail))
        if let host = (try? RequestURL(row.url)).flatMap({ HostName.readable($0.host) }) {
            pairs.append(("Host", host))
        }
        if let options = detail.options { pairs.append(("Options", options)) }
        if let form = row.form {
            let files = Format.count(form.files, "file")
            pairs.append(("Form", "\(files), \(Format.count(form.fields, "field"))"))
        } else {
            let remark =
                detail.isSnapshot ? " (a snapshot)" : detail.awaitsName == true ? " (or as the server says)" : ""
            pairs.append(("File", row.path + remark))
        }
        pairs.append(("Bytes", bytes(row)))
        if row.rate > 0 { pairs.append(("Rate", Format.rate(row.rate))) }
        pairs.append(("Handed over", Format.fullTime(row.createdAt)))
        if let end = row.finishedAt { pairs.append(("Ended", Format.fullTime(end))) }
        pairs.append(("Attempts", "\(row.attempts)"))
        pairs.append(
            (
                "Timeouts",
                "\(Format.duration(detail.idleTimeout)) idle, \(Format.duration(detail.overallTimeout)) in all"
            )
        )
        if let limit = detail.rateLimit { pairs.append(("Limit", Format.rate(Double(limit)))) }
        if row.priority != 0.5 { pairs.append(("Priority", "\(row.priority)")) }
        if let notify = detail.notify { pairs.append(("Notify", notify ? "when it has ended, or needs you" : "never")) }
        if let needs = detail.needs { pairs.append(("Needs", needs.summary.joined(separator: ", "))) }
        if let connection = detail.connection, !connection.isEmpty {
            pairs.append(("Connection", connection.joined(separator: ", ")))
        }
        if let proxy = detail.proxy { pairs.append(("Proxy", proxy)) }
        if let checksum = detail.checksum { pairs.append(("Checksum", checksum)) }
        if let partial = detail.partialPath { pairs.append(("Kept in", partial)) }
        if let status = row.status { pairs.append(("Answer", "HTTP status \(status)")) }
        if let status = detail.completionStatus { pairs.append(("On done", completion(status))) }
        var lines = pairs.map { pair in "\(padded(pair.0)) \(pair.1.redactedControls)" }
        lines += section("Parts of the form", parts(detail))
        lines += section("Addresses", (detail.addresses ?? []).map(address))
        lines += section("Sent headers", detail.headers.map { "\($0.name): \($0.value)" })
        lines += section("Attempts so far", detail.history.map { attempt($0, of: row) })
        lines += section("Answer's headers", detail.answerHeaders.map { "\($0.name): \($0.value)" })
        lines += section("Answer's beginning", FollowLines.bodyLines(detail.bodyStart.bytes, lines: 20, width: 4096))
        return lines
    }

    /// The reason, without anything that the state already says.
    private static func reason(_ row: TransferRow) -> String {
        if case .failed(let failure) = row.reason.cause { return failure.detail }
        return RowReason.summary(row)
    }

    /// `photo: /home/me/a.jpg as a.jpg, image/jpeg, 1.20 MiB`, `title: 12 B (the value is hidden)`.
    private static func parts(_ detail: TransferDetail) -> [String] {
        let parts = detail.formParts ?? []
        let more = detail.row.form.map { $0.files + $0.fields - parts.count } ?? 0
        let lines = parts.map { part in
            var words = [part.path ?? ""]
            if let fileName = part.fileName { words[0] += (part.path == nil ? "as " : " as ") + fileName }
            if let contentType = part.contentType { words.append(contentType) }
            words.append(Format.bytes(part.size))
            let what = words.filter { !$0.isEmpty }.joined(separator: ", ")
            let remark = part.path == nil ? " (the value is hidden)" : part.isSnapshot ? " (a snapshot)" : ""
            return "\(part.name): \(what)\(remark)"
        }
        return lines + (more > 0 ? ["… and \(more) more"] : [])
    }

    /// `https://a.example/f (left for good: the server answered 404 Not Found)`.
    private static func address(_ address: AddressDetail) -> String {
        var words = address.isInUse ? ["in use"] : []
        if let trouble = address.trouble {
            words.append("\(address.isLeftForGood ? "left for good" : "left for now"): \(trouble)")
        }
        return words.isEmpty ? address.url : "\(address.url) (\(words.joined(separator: "; ")))"
    }

    /// How the completion command ended.
    private static func completion(_ status: Int) -> String {
        // The statuses that POSIX defines for shells.
        let why = status == 127 ? ", it was not found" : status == 126 ? ", it could not be run" : ""
        return "the command ended with status \(status)\(why); 'offstage daemon log' has its output"
    }

    private static func bytes(_ row: TransferRow) -> String {
        let done = Format.bytes(row.bytesDone)
        guard let total = row.bytesTotal else { return done }
        let percent = Format.percent(done: row.bytesDone, total: total).map { " (\($0)%)" } ?? ""
        return "\(done) of \(Format.bytes(total))\(percent)"
    }

    private static func attempt(_ record: AttemptRecord, of row: TransferRow) -> String {
        let span =
            "\(Format.fullTime(record.startedAt)), \(Format.duration(record.endedAt.timeIntervalSince(record.startedAt)))"
        let bytes = "bytes \(record.fromByte) to \(record.toByte)"
        let isLast = record.number == row.attempts && row.result == .completed
        let end = record.failure?.detail ?? (isLast ? "complete" : "paused or cancelled by you")
        return "\(record.number): \(span), \(bytes): \(end)"
    }

    static func section(_ title: String, _ lines: [String]) -> [String] {
        lines.isEmpty ? [] : ["\(title):"] + lines.map { "  " + $0.redactedControls }
    }

    static func padded(_ title: String) -> String {
        title + ":" + String(repeating: " ", count: max(0, 12 - title.count))
    }
}
