// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

extension TransferRecord {
    /// The record as JSON, as `encode(to:)` describes it.
    ///
    /// The record of a transfer that runs, is being saved or completed at its first attempt is written directly, in a
    /// fraction of the time that `JSONEncoder` takes. With many small files, encoding was most of the store's work, and
    /// every other commit waited for it.
    ///
    /// - Throws: `EncodingError` for a number that JSON cannot express.
    package func json() throws -> [UInt8] {
        var text = JSONObjectText()
        let fresh = Transfer(id: transfer.id, spec: transfer.spec, now: transfer.createdAt)
        guard hasNothingRare(besides: fresh), text.add(transfer.state) else {
            return Array(try JSONEncoder().encode(self))
        }
        text.add("createdAt", transfer.createdAt)
        if let expiry = transfer.expiry { text.add("expiry", expiry) }
        if transfer.past.count != 0 { text.add("attempts", number: Int64(transfer.past.count)) }
        if transfer.past.furthestByte != 0 { text.add("furthestByte", number: transfer.past.furthestByte) }
        if transfer.past.hasBeenAnswered { text.add("hasBeenAnswered", literal: "true") }
        if let file = transfer.partialFile { text.add("partialFile", file) }
        if let tag = transfer.partialTag { text.add("partialTag", tag) }
        if transfer.bytesDone != 0 { text.add("bytesDone", number: transfer.bytesDone) }
        if let partial = transfer.partial { text.add("partial", partial) }
        if let total = transfer.bytesTotal, total != fresh.bytesTotal { text.add("bytesTotal", number: total) }
        return text.finish()
    }

    /// Whether `json` writes every value: all values not named here are rare.
    private func hasNothingRare(besides fresh: Transfer) -> Bool {
        // A value that differs from these is written, even if it is null.
        guard fresh.partial == nil, fresh.dialectMemory == nil else { return false }
        guard fresh.bytesTotal == nil || transfer.bytesTotal != nil else { return false }
        if let partial = transfer.partial, !partial.hasNothingRare { return false }
        var plain = fresh
        plain.state = transfer.state
        plain.expiry = transfer.expiry
        plain.past.count = transfer.past.count
        plain.past.furthestByte = transfer.past.furthestByte
        plain.past.hasBeenAnswered = transfer.past.hasBeenAnswered
        plain.partialFile = transfer.partialFile
        plain.partialTag = transfer.partialTag
        plain.bytesDone = transfer.bytesDone
        plain.partial = transfer.partial
        plain.bytesTotal = transfer.bytesTotal
        return plain == transfer
    }
}

extension PartialDownload {
    /// Whether it is only the beginning of a file, from one server.
    fileprivate var hasNothingRare: Bool {
        self
            == PartialDownload(
                validator: validator,
                totalBytes: totalBytes,
                coding: coding,
                syncedBytes: syncedBytes,
                bootID: bootID,
                serverIgnoresRanges: serverIgnoresRanges
            )
    }
}

extension JSONObjectText {
    /// Adds a state if it is a common one; otherwise returns false.
    fileprivate mutating func add(_ state: TransferState) -> Bool {
        var text = JSONObjectText()
        switch state {
        case .queued, .waiting, .paused: return false
        case .running(let attempt):
            var inner = JSONObjectText(capacity: 160)
            inner.add("number", number: Int64(attempt.number))
            inner.add("startedAt", attempt.startedAt)
            inner.add("offset", number: attempt.offset)
            text.add("_0", object: inner)
            add("state", case: "running", text)
        case .saving(let answer, let since):
            guard since.timeIntervalSinceReferenceDate.isFinite else { return false }
            text.add("_0", object: JSONObjectText(answer))
            text.add("since", since)
            add("state", case: "saving", text)
        case .finished(.completed(let answer), let moment):
            var completed = JSONObjectText()
            completed.add("_0", object: JSONObjectText(answer))
            text.add("_0", case: "completed", completed)
            text.add("at", moment)
            add("state", case: "finished", text)
        case .finished: return false
        }
        return true
    }

    /// Everything of an answer.
    private init(_ answer: Answer) {
        self.init(capacity: 1024)
        add("status", number: Int64(answer.status))
        add("headers", answer.headers.lazy.map(\.line))
        add("httpVersion", answer.httpVersion)
        add("finalURL", answer.finalURL)
        add("bodyStart", answer.bodyStart.isEmpty ? "" : Data(answer.bodyStart).base64EncodedString())
        if let path = answer.bodyPath { add("bodyPath", path) }
        if let count = answer.redirectCount { add("redirectCount", number: Int64(count)) }
        if let address = answer.remoteAddress { add("remoteAddress", address) }
        if let port = answer.remotePort { add("remotePort", number: Int64(port)) }
        if let isReused = answer.isConnectionReused { add("isConnectionReused", literal: isReused ? "true" : "false") }
        if let saysThere = answer.saysThere { add("saysThere", literal: saysThere ? "true" : "false") }
        if let wasFetched = answer.wasFetched { add("wasFetched", literal: wasFetched ? "true" : "false") }
    }

    fileprivate mutating func add(_ key: StaticString, _ deadline: Deadline) {
        var object = JSONObjectText(capacity: 160)
        object.add("setAt", deadline.setAt)
        object.add("delay", literal: "\(deadline.delay)")
        add(key, object: object)
    }

    fileprivate mutating func add(_ key: StaticString, _ partial: PartialDownload) {
        var object = JSONObjectText(capacity: 256)
        if let validator = partial.validator {
            var inner = JSONObjectText(capacity: 64)
            inner.add("_0", validator.ifRange)
            switch validator {
            case .strongETag: object.add("validator", case: "strongETag", inner)
            case .lastModified: object.add("validator", case: "lastModified", inner)
            }
        }
        if let total = partial.totalBytes { object.add("totalBytes", number: total) }
        if let coding = partial.coding { object.add("coding", coding) }
        object.add("syncedBytes", number: partial.syncedBytes)
        object.add("bootID", partial.bootID)
        object.add("serverIgnoresRanges", literal: partial.serverIgnoresRanges ? "true" : "false")
        add(key, object: object)
    }
}
