// SPDX-License-Identifier: Apache-2.0

/// Handles the bytes of a request: planned from its head, counted, and kept in part if the request is aborted.
extension EmulatedDropbox {
    /// The destination of a call's bytes, as far as its argument is valid.
    func plan(_ argument: EmulatorJSON, _ route: EmulatorRoute) -> [EmulatorCall.Part] {
        switch route {
        case .upload: return [EmulatorCall.Part(hasher: ContentHasher(), base: 0)]
        case .start:
            let kind = argument["session_type"]
            let isConcurrent = (kind.string ?? kind[".tag"].string) == "concurrent"
            return isConcurrent ? [] : [EmulatorCall.Part(hasher: ContentHasher(), base: 0)]
        case .append, .finish:
            let part = uploads.plan(argument["cursor"], length: nil)
            return part.session == nil ? [] : [part]
        case .appendBatch:
            return argument["entries"].array.map { entry in
                uploads.plan(entry["cursor"], length: max(0, entry["length"].integer ?? 0))
            }
        default: return []
        }
    }

    /// Counts the received bytes, and those among them that had been received before.
    mutating func record(_ call: EmulatorCall, _ body: ReceivedBody) {
        guard let route = call.route else { return }
        record.bodyBytes[route.rawValue, default: 0] += body.length
        guard route.storesBytes, body.length > 0, case .success(let argument) = call.argument else { return }
        switch route {
        case .append, .finish: record(argument["cursor"], body.length)
        case .appendBatch:
            var rest = body.length
            for entry in argument["entries"].array {
                let length = min(rest, max(0, entry["length"].integer ?? 0))
                record(entry["cursor"], length)
                rest -= length
            }
        case .upload:
            let hash = argument["content_hash"].string ?? ""
            record("\(argument["path"].string?.lowercased() ?? "") \(hash)", 0..<body.length)
        default: break
        }
    }

    private mutating func record(_ cursor: EmulatorJSON, _ length: Int64) {
        guard let id = cursor["session_id"].string, let offset = cursor["offset"].integer, offset >= 0 else { return }
        let (end, isTooFar) = offset.addingReportingOverflow(length)
        if !isTooFar { record(id, offset..<end) }
    }

    private mutating func record(_ key: String, _ range: Range<Int64>) {
        let known = uploads.record(key, range)
        record.bytesReceivedTwice += known
        if known > 0 { record.chunksReceivedTwice += 1 }
    }

    /// Keeps the received part of an aborted request, if configured to.
    mutating func keepPrefix(_ call: EmulatorCall, _ body: ReceivedBody) {
        let isKept = if case .cut(_, let keep)? = call.fault { keep } else { rules.keepsPrefix }
        if isKept { keepBytes(call, body) }
    }

    /// Adds the bytes of an append or a finish to their sequential session, and does nothing else.
    mutating func keepBytes(_ call: EmulatorCall, _ body: ReceivedBody) {
        guard call.route == .append || call.route == .finish, let planned = call.parts.first,
            let id = planned.session, let part = body.parts.first, part.length > 0,
            let session = uploads[id], session.kind == .sequential, !session.isClosed, !session.isCommitted,
            planned.base == session.size, part.length <= rules.maximumBody
        else { return }
        uploads.store(part, body, in: id, at: planned.base, &segments)
    }
}

extension EmulatorCall {
    /// The call's session.
    var sessionID: String? {
        if case .success(let argument) = argument { argument["cursor"]["session_id"].string } else { nil }
    }
}
