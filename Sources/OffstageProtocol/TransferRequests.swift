// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Hands transfers over: either all are queued, in order, or none. The reply is sent once they are on the disk.
package struct SubmitTransfers: WireRequest {
    package static let name = "submit"
    package struct Reply: Codable, Sendable, Equatable {
        package var ids: [TransferID]
        package init(ids: [TransferID]) { self.ids = ids }
    }
    package var specs: [TransferSpec]
    package init(specs: [TransferSpec]) { self.specs = specs }
}

/// `SubmitTransfers` with transfers that are already JSON: a client that fills a request up to a length has already
/// encoded them, and there may be a million.
package struct SubmitEncodedTransfers: WireRequest, EncodedPayload {
    package static let name = SubmitTransfers.name
    package typealias Reply = SubmitTransfers.Reply
    private var payload: [UInt8]

    package init() {
        payload = Array(#"{"specs":["#.utf8)
    }

    /// The length so far, in bytes.
    package var length: Int { payload.count }

    /// Adds a transfer, as `WireCoding` encodes it.
    package mutating func append(_ spec: [UInt8]) {
        if payload.last != UInt8(ascii: "[") { payload.append(UInt8(ascii: ",")) }
        payload += spec
    }

    func encoded() -> [UInt8] { payload + Array("]}".utf8) }
}

/// One page of transfers, newest first.
package struct ListTransfers: WireRequest {
    package static let name = "list"
    package struct Reply: Codable, Sendable, Equatable {
        package var rows: [TransferRow]
        package var hasMore: Bool
        /// How many transfers there are, by `TransferState.Kind.rawValue`.
        package var counts: [String: Int]
        package init(rows: [TransferRow], hasMore: Bool, counts: [String: Int]) {
            self.rows = rows
            self.hasMore = hasMore
            self.counts = counts
        }
    }
    package var query: TransferQuery
    package init(query: TransferQuery) { self.query = query }
}

/// All details that may be shown about some transfers; unknown ids fail the request with `notFound`.
package struct ShowTransfers: WireRequest {
    package static let name = "show"
    package struct Reply: Codable, Sendable, Equatable {
        package var details: [TransferDetail]
        package init(details: [TransferDetail]) { self.details = details }
    }
    package var ids: [TransferID]
    /// Whether header values, the query and the server's response are shown unchanged; nil, as from an older command,
    /// for no.
    package var reveals: Bool?
    package init(ids: [TransferID], reveals: Bool = false) {
        self.ids = ids
        self.reveals = reveals ? true : nil
    }
}

/// Performs one action on many transfers: up to `WatchTransfers.idLimit` by their numbers, or all.
package struct ActOnTransfers: WireRequest {
    package static let name = "act"
    package enum Verb: String, Codable, Sendable, CaseIterable {
        case pause, resume, cancel, retry, forget
        /// Like `cancel`, but without a request to the server: another machine continues the upload there. The end, and
        /// the answer, are sent once no request is under way.
        case release
    }
    /// The selected transfers.
    package enum Selection: Codable, Sendable, Equatable {
        case ids([TransferID])
        /// All transfers that the verb applies to.
        case all
    }
    package struct Reply: Codable, Sendable, Equatable {
        /// The transfers that the verb was applied to.
        package var done: [TransferID]
        /// The transfers that it could not be applied to, and why.
        package var refused: [Refusal]
        /// Set if there are more, with lower ids than this; nil if there are none. Only for `all`, and only in parts.
        package var next: TransferID?
        package init(done: [TransferID], refused: [Refusal], next: TransferID? = nil) {
            self.done = done
            self.refused = refused
            self.next = next
        }
    }
    package struct Refusal: Codable, Sendable, Equatable {
        package var id: TransferID
        package var failure: WireFailure
        package init(id: TransferID, failure: WireFailure) {
            self.id = id
            self.failure = failure
        }
    }
    package var verb: Verb
    package var selection: Selection
    /// For `all`: only transfers with lower numbers; nil for no limit.
    package var before: TransferID?
    /// Whether the answer may cover only a part of `all`, with `next` to continue.
    package var isInParts: Bool?
    package init(verb: Verb, selection: Selection, before: TransferID? = nil, isInParts: Bool? = nil) {
        self.verb = verb
        self.selection = selection
        self.before = before
        self.isInParts = isInParts
    }
}

/// Changes a bandwidth limit of running transfers.
package struct SetRateLimit: WireRequest {
    package static let name = "limit"
    package typealias Reply = Empty
    /// Nil for the limit of all transfers together.
    package var id: TransferID?
    /// Bytes per second; nil for no limit.
    package var bytesPerSecond: Int64?
    package init(id: TransferID?, bytesPerSecond: Int64?) {
        self.id = id
        self.bytesPerSecond = bytesPerSecond
    }
}

/// Changes a transfer that was handed over. Refused with `notApplicable` if this is no longer possible.
package struct ChangeTransfer: WireRequest {
    package static let name = "change"
    package struct Reply: Codable, Sendable, Equatable {
        /// The values that the transfer has lost because they were for another server: names for people.
        package var dropped: [String]
        package init(dropped: [String]) { self.dropped = dropped }
    }
    package var id: TransferID
    package var edit: TransferEdit
    package init(id: TransferID, edit: TransferEdit) {
        self.id = id
        self.edit = edit
    }
}

/// Sets header fields of an unfinished transfer, and releases it if it waits for credentials.
package struct SetHeaders: WireRequest {
    package static let name = "header"
    package typealias Reply = Empty
    package var id: TransferID
    package var headers: [HeaderField]
    package init(id: TransferID, headers: [HeaderField]) {
        self.id = id
        self.headers = headers
    }
}

/// The lines of the queue: the numbers of waiting and running transfers for each owner and host, the longest first.
package struct ListQueueLines: WireRequest {
    package static let name = "queue.lines"
    package struct Reply: Codable, Sendable, Equatable {
        package var lines: [QueueLine]
        /// How many more there are.
        package var more: Int
        package init(lines: [QueueLine], more: Int) {
            self.lines = lines
            self.more = more
        }
    }
    /// The most lines in a reply.
    package static let mostLines = 500
    package init() {}
}

/// Subscribes this connection to `TransferEvent`s. The reply contains the current rows.
package struct WatchTransfers: WireRequest {
    package static let name = "watch"
    package struct Reply: Codable, Sendable, Equatable {
        package var rows: [TransferRow]
        /// Whether there are more rows than fit a frame; nil for no.
        package var hasMore: Bool?
        package init(rows: [TransferRow], hasMore: Bool? = nil) {
            self.rows = rows
            self.hasMore = hasMore
        }
    }
    /// The most ids that one request may name, so that the reply fits a frame. A connection may watch several times.
    package static let idLimit = 1000
    /// The most rows in a reply about all transfers.
    package static let rowLimit = 1000
    /// Nil for all transfers. The reply then contains unfinished rows, up to `rowLimit`: running ones first, then
    /// waiting and queued ones.
    package var ids: [TransferID]?
    /// Whether to send only `finished` and `removed`, which is all that a script waits for.
    package var onlyOutcomes: Bool?
    package init(ids: [TransferID]?, onlyOutcomes: Bool = false) {
        self.ids = ids
        self.onlyOutcomes = onlyOutcomes
    }
}
