// SPDX-License-Identifier: Apache-2.0

/// What one attempt of a transfer is doing: a value with no file, handle or clock in it.
///
/// Events go in, and what has to be done comes out, in order (`handle`). An event that does not fit is ignored, so that what
/// comes late does no harm. `Transfer` decides whether there is an attempt, and what its result means; in between, an attempt
/// decides what is asked of file, store, accounts and server.
///
/// Several requests may be under way at once, each in a lane of its own. The first that fails ends the attempt: its result is
/// told once the engine has let go of the others.
package struct Attempt: Sendable {
    package enum Phase: Sendable, Equatable {
        /// A worker opens the file.
        case opening
        /// A worker opens the file, and nobody wants it any more.
        case abandoned
        /// The file is open, and the transfer does not count as running yet.
        case open(AttemptWork)
        /// It is carried out.
        case working(AttemptWork)
        /// The engine is about to let go of the requests under way.
        case stopping(AttemptWork, Ending)
        /// The transfer has the result, and decides what comes of it.
        case concluded
        /// What has arrived is being checked, synced and named.
        case saving
        case over
    }

    /// What comes once nothing is under way.
    package enum Ending: Sendable, Equatable {
        case result(AttemptResult, reached: Int64, madeAt: String?)
        case brokenOff
    }

    /// Which of the transfer's attempts it is; 0 before it has begun.
    package private(set) var number = 0
    package internal(set) var phase = Phase.opening
    /// How the file is spoken of to the server; nil for a download, and before the file is open. It stands apart from the
    /// phases, so that what it knows of a large file is not copied.
    package internal(set) var dialect: (any UploadDialect)?

    package init() {}

    /// Takes an event in.
    ///
    /// - Returns: what has to be done, in order.
    package mutating func handle(_ event: AttemptEvent, now: Moment) -> [AttemptAction] {
        switch phase {
        case .opening: opening(event)
        case .abandoned: abandoned(event)
        case .open(let work): open(work, event, now)
        case .working(let work): working(work, event, now)
        case .stopping(let work, let ending): stopping(work, ending, event, now)
        case .concluded: concluded(event)
        case .saving: saving(event)
        case .over: []
        }
    }

    private mutating func opening(_ event: AttemptEvent) -> [AttemptAction] {
        switch event {
        case .opened(let dialect, let offset):
            self.dialect = dialect
            phase = .open(AttemptWork(memory: dialect?.memory, offset: offset))
            return [.begin(offset: offset)]
        case .notOpened: return end(closing: false)
        case .breakOff:
            phase = .abandoned
            return []
        default: return []
        }
    }

    /// The transfer has left the line meanwhile.
    private mutating func abandoned(_ event: AttemptEvent) -> [AttemptAction] {
        switch event {
        case .opened: end() + [.goOn]
        case .notOpened: end(closing: false) + [.goOn]
        default: []
        }
    }

    private mutating func open(_ work: AttemptWork, _ event: AttemptEvent, _ now: Moment) -> [AttemptAction] {
        switch event {
        case .begun(let number):
            self.number = number
            guard dialect == nil else { return next(work, now) }
            var work = work
            work.lanes[0] = .init(offset: work.reached, reached: work.reached)
            phase = .working(work)
            return [.fetch(lane: 0, offset: work.reached)]
        case .breakOff: return end() + [.goOn]
        default: return []
        }
    }

    private mutating func concluded(_ event: AttemptEvent) -> [AttemptAction] {
        switch event {
        case .save:
            phase = .saving
            return []
        case .dismiss: return end()
        default: return []
        }
    }

    private mutating func saving(_ event: AttemptEvent) -> [AttemptAction] {
        if case .saved = event { end(closing: false) } else { [] }
    }

    mutating func end(closing: Bool = true) -> [AttemptAction] {
        phase = .over
        return closing ? [.closeFile, .forget] : [.forget]
    }
}

/// What is to be known outside.
extension Attempt {
    /// Bytes of the file that stay across when the attempt is broken off now; nil for those that have moved.
    package var kept: Int64? { isResumable ? dialect?.acknowledged : nil }

    /// The byte that it has got to, with all that is on its way; nil where nothing is.
    package var position: Int64? {
        guard let lanes = work?.lanes, !lanes.isEmpty else { return nil }
        guard lanes.count > 1, let dialect else { return lanes.first?.value.reached }
        return lanes.values.reduce(dialect.acknowledged) { $0 + $1.reached - $1.offset }
    }

    /// The lanes with a request under way, in order.
    package var lanes: [Int] { work?.lanes.keys.sorted() ?? [] }

    /// Where the upload stands, for people; nil for nothing to add.
    package var standing: String? {
        switch work?.asking {
        case .token(let account): "waiting for a token of the account '\(account.redactedControls)'"
        case .digests: "hashing the file before it is sent"
        case .answers, .commit, nil: dialect?.standing
        }
    }

    var isResumable: Bool { dialect.map { type(of: $0).isResumable } ?? false }

    private var work: AttemptWork? {
        switch phase {
        case .open(let work), .working(let work), .stopping(let work, _): work
        case .opening, .abandoned, .concluded, .saving, .over: nil
        }
    }
}
