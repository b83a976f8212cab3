// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
import OffstageCore
package import OffstageProtocol

/// The sentences about a transfer in progress.
package enum FollowLines {
    /// `big.iso → https://files.example/in/big.iso`, in the direction of the bytes.
    package static func way(_ row: TransferRow) -> String {
        (row.isUpload ? "\(row.fileName) → \(row.url)" : "\(row.url) → \(row.fileName)").redactedControls
    }

    /// A transfer has changed its state, or waits for something else.
    package static func changed(_ row: TransferRow, now: Date) -> String {
        switch row.kind {
        case .running:
            switch row.reason.cause {
            case .saving, .fileSystem: return "\(row.id): \(row.reason.summary)"
            default: break
            }
            let from = row.bytesDone > 0 ? ", continuing at \(Format.bytes(row.bytesDone))" : ""
            let attempt = row.attempts > 1 ? " (attempt \(row.attempts))" : ""
            return "\(row.id): started\(attempt)\(from): \(way(row))\(standing(row))"
        case .paused:
            return "\(row.id): \(RowReason.paused(row))"
        case .queued, .waiting, .finished:
            return "\(row.id): \(reason(row, now: now))"
        }
    }

    /// The progress of an upload in a dialect, in brackets; empty if there is none.
    private static func standing(_ row: TransferRow) -> String {
        row.standing.map { " (\($0.redactedControls))" } ?? ""
    }

    /// The reason, and when it is checked next.
    package static func reason(_ row: TransferRow, now: Date) -> String {
        var text = row.reason.summary.redactedControls
        if row.kind != .running, row.kind != .finished { text += standing(row) }
        if let next = row.reason.nextLook { text += "; next check at \(Format.time(next, now: now))" }
        return text
    }

    /// `7: 30%, 77 MiB of 256 MiB, 20 MiB/s, 9s left`.
    package static func progressed(_ row: TransferRow) -> String {
        var parts: [String] = []
        if let percent = Format.percent(done: row.bytesDone, total: row.bytesTotal) { parts.append("\(percent)%") }
        parts.append(Format.bytes(row.bytesDone) + (row.bytesTotal.map { " of \(Format.bytes($0))" } ?? ""))
        if row.rate > 0 { parts.append(Format.rate(row.rate)) }
        if let left = Format.secondsLeft(done: row.bytesDone, total: row.bytesTotal, rate: row.rate) {
            parts.append("\(Format.duration(left)) left")
        }
        return "\(row.id): \(parts.joined(separator: ", "))\(standing(row))"
    }

    /// The one-time warning about a server that cannot be reached, since a host may be mistyped; nil for other
    /// transfers.
    package static func unreached(_ row: TransferRow) -> [String]? {
        guard case .retry(let failure, let attempts) = row.reason.cause, row.bytesDone == 0,
            failure.saysUnreached(after: attempts)
        else { return nil }
        return [
            "\(row.id): nothing has answered in \(attempts) attempts: \(failure.detail.redactedControls)",
            "    \(failure.advice(isSessionTask: false)) It keeps trying; 'offstage cancel \(row.id)' ends it.",
        ]
    }

    /// A transfer has succeeded.
    package static func done(_ row: TransferRow) -> String {
        if case .leftOut = row.reason.cause { return "\(row.id): \(row.reason.summary): \(way(row))" }
        var text = "\(row.id): done: \(way(row)), \(Format.bytes(row.bytesDone))"
        if let end = row.finishedAt {
            let seconds = max(0, end.timeIntervalSince(row.createdAt))
            text += seconds < 1 ? " in under 1s" : " in \(Format.duration(seconds))"
        }
        if row.isUpload, let status = row.status { text += ", the server answered \(status)" }
        return text
    }

    /// A transfer has not succeeded: what happened, to which file, what to do, and the server's answer.
    package static func failed(_ row: TransferRow, bodyStart: [UInt8]) -> [String] {
        var lines = ["\(row.id): \(summary(row)): \(way(row))"]
        if !row.advice.isEmpty { lines.append("    \(row.advice)") }
        let body = bodyLines(bodyStart)
        if !body.isEmpty { lines += ["    The server wrote:"] + body.map { "    | \($0)" } }
        return lines
    }

    private static func summary(_ row: TransferRow) -> String {
        if let status = row.status, row.result == .completed { return "the server answered \(status)" }
        return row.reason.summary.redactedControls
    }

    /// The first lines of a body, if it is text.
    package static func bodyLines(_ bytes: [UInt8], lines count: Int = 8, width: Int = 160) -> [String] {
        let start = bytes.prefix(4096)
        guard !start.isEmpty else { return [] }
        guard !start.contains(0) else { return ["(\(bytes.count) bytes that are not text)"] }
        let all = String(decoding: start, as: UTF8.self).split(whereSeparator: \.isNewline)
            .map { DisplayWidth.truncated(String($0).redactedControls, to: width) }
        return Array(all.prefix(count)) + (all.count > count ? ["…"] : [])
    }
}
