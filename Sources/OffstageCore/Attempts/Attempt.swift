// SPDX-License-Identifier: Apache-2.0

/// The state of one attempt of a transfer: a value without a file, handle or clock.
///
/// Events go in, and the actions to carry out come out, in order (`handle`). An event that does not fit the phase is
/// ignored, so that a late event does no harm. `Transfer` decides whether there is an attempt, and what its result
/// means. In between, the attempt decides what to ask of the file, the store, the accounts and the server.
///
/// Several requests may be under way at once, each in its own lane. The first failure ends the attempt: its result is
/// reported once the engine has released the others.
package struct Attempt: Sendable {
    package enum Phase: Sendable, Equatable {
        /// A worker is opening the file.
        case opening
        /// A worker is opening the file, but the attempt is no longer wanted.
        case abandoned
        /// The file is open, but the transfer does not yet count as running.
        case open(AttemptWork)
        /// The attempt is being carried out.
        case working(AttemptWork)
        /// The engine is about to release the requests under way.
        case stopping(AttemptWork, Ending)
        /// The transfer has the result, and decides what follows.
        case concluded
        /// The partial file is being checked, synced and renamed.
        case saving
        case over
    }

    /// How the attempt ends once nothing is under way.
    package enum Ending: Sendable, Equatable {
        case result(AttemptResult, reached: Int64, madeAt: String?)
        case brokenOff
    }

    /// The number of the attempt in its transfer; 0 before it has begun.
    package private(set) var number = 0
    package internal(set) var phase = Phase.opening
    /// The dialect of an upload; nil for a download, and before the file is open. It is kept outside the phases so that
    /// its state, which is large for a large file, is not copied.
    package internal(set) var dialect: (any UploadDialect)?
    /// Decides what each request of a download fetches; nil for a download over one connection, and before the file is
    /// open.
    package internal(set) var pieces: PieceSchedule?
    /// Makes the requests of a download whose requests are authorized; nil for any other.
    package internal(set) var download: (any DownloadDialect)?

    /// Bytes of the file moved by requests that have ended, including those moved more than once.
    package private(set) var moved: Int64 = 0

    /// Whether a keeper outside of this machine keeps the dialect's memory (`TransferSpec.keeper`).
    let hasKeeper: Bool

    package init(hasKeeper: Bool = false) { self.hasKeeper = hasKeeper }

    /// Handles an event.
    ///
    /// - Returns: the actions to carry out, in order.
    package mutating func handle(_ event: AttemptEvent, now: Moment) -> [AttemptAction] {
        count(event)
        return switch phase {
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

    private mutating func count(_ event: AttemptEvent) {
        let (request, reached): (AttemptWork.Lane?, Int64?) =
            switch event {
            case .ended(let lane, _, let reached): (work?.lanes[lane], reached)
            case .released(let lane): (work?.lanes[lane], nil)
            default: (nil, nil)
            }
        guard let request else { return }
        moved = moved.addingClamped(max(0, (reached ?? request.reached).subtractingClamped(request.offset)))
    }

    private mutating func opening(_ event: AttemptEvent) -> [AttemptAction] {
        switch event {
        case .opened(let dialect, let offset, let pieces, let download):
            self.dialect = dialect
            self.pieces = pieces
            self.download = download
            phase = .open(AttemptWork(memory: dialect?.memory, offset: offset, mustBeKept: hasKeeper))
            return [.begin(offset: offset)]
        case .notOpened: return end(closing: false)
        case .breakOff:
            phase = .abandoned
            return []
        default: return []
        }
    }

    /// Handles an event after the transfer has left the queue.
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
            return dialect == nil ? fetch(work, now) : next(work, now)
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

/// The properties that other types read.
extension Attempt {
    /// Bytes of the file that stay transferred if the attempt is broken off now; nil to count the bytes that have
    /// moved.
    package var kept: Int64? { isResumable ? dialect?.acknowledged : held?.count }

    /// The bytes that the file of a download in pieces holds; nil for any other.
    package var held: ByteSpans? { pieces.flatMap { $0.isDivided ? $0.held : nil } }

    /// The byte that the attempt has reached, including bytes under way; nil if no request is under way.
    package var position: Int64? {
        guard let lanes = work?.lanes, !lanes.isEmpty else { return nil }
        if let held { return held.count }
        guard lanes.count > 1, let dialect else { return lanes.first?.value.reached }
        return lanes.values.reduce(dialect.acknowledged) { $0 + $1.reached - $1.offset }
    }

    /// Bytes of the file that have gone over the wire, in finished requests and in those under way.
    package var movedInAll: Int64 {
        guard let lanes = work?.lanes.values else { return moved }
        return lanes.reduce(moved) { sum, lane in
            sum.addingClamped(max(0, lane.reached.subtractingClamped(lane.offset)))
        }
    }

    /// The lanes with a request under way, in order.
    package var lanes: [Int] { work?.lanes.keys.sorted() ?? [] }

    /// The state of the upload, for people; nil if there is nothing to add.
    package var standing: String? {
        switch work?.asking {
        case .token(.account(let name)): "waiting for a token of the account '\(name.redactedControls)'"
        case .token(.profile(let profile)): "reading the keys of the profile '\(profile.name.redactedControls)'"
        case .token(.google(let credentials)): "waiting for a token from \(credentials.identity.words)"
        case .digests: "hashing the file before it is sent"
        case .commit where hasKeeper: "waiting for the fleet to keep where it stands"
        case .answers, .commit, nil: dialect?.standing ?? pieces?.standing
        }
    }

    /// Whether the attempt has sent nothing yet because its keeper has confirmed nothing.
    package var mustBeKept: Bool { work?.mustBeKept ?? false }

    var isResumable: Bool { dialect?.isResumable ?? false }

    private var work: AttemptWork? {
        switch phase {
        case .open(let work), .working(let work), .stopping(let work, _): work
        case .opening, .abandoned, .concluded, .saving, .over: nil
        }
    }
}
