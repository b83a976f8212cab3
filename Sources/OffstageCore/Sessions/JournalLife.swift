// SPDX-License-Identifier: Apache-2.0

/// The life of one hand-over journal in the daemon: when it is read, emptied, sealed and deleted.
///
/// One step is under way at a time. Nothing that was handed over is lost: a journal is emptied only when all of it is
/// in the store. It is deleted only after it was sealed, which prevents additions, and then read to its end.
package struct JournalLife: Sendable, Hashable {
    /// The next step; its result is reported by the named method.
    package enum Action: Sendable, Hashable {
        /// Read records from this byte, make them durable, then `imported` or `foundNothing`.
        case read(from: Int64)
        /// Empty it if it still has this size and no process is writing; then `emptied`.
        case empty(ifSize: Int64)
        /// Remove the permission to write once no process is writing; then `sealed`.
        case seal
        /// Delete its entry in the store and the file; then `deleted`.
        case delete
    }

    package enum Stage: Sendable, Equatable {
        /// A connection holds it.
        case open
        /// Its writer is gone, but that is not certain yet.
        case ending
        /// Nothing can be added to it.
        case sealed
        case deleted
    }

    package private(set) var stage: Stage
    /// The byte up to which everything is in the store.
    package private(set) var offset: Int64 = 0
    /// The last record in the store.
    package private(set) var sequence: UInt64
    /// Whether a step is under way.
    package private(set) var isBusy = false
    private var hasRung = false

    /// Bytes beyond which a journal is emptied whenever its end is reached.
    package static let lengthToEmpty: Int64 = 65_536

    /// - Parameters:
    ///   - sequence: the last record that is in the store.
    ///   - isOpen: false for a journal that an earlier daemon left.
    package init(sequence: UInt64 = 0, isOpen: Bool = true) {
        self.sequence = sequence
        stage = isOpen ? .open : .ending
    }

    /// The first step for a journal that was left, or whose connection has ended.
    package mutating func connectionEnded() -> Action? {
        if stage == .open { stage = .ending }
        return next()
    }

    /// The client reports new records.
    package mutating func rung() -> Action? {
        guard stage == .open else { return nil }
        hasRung = true
        return next()
    }

    /// The records up to `sequence`, which end at the byte `offset`, are in the store.
    package mutating func imported(through sequence: UInt64, endingAt offset: Int64) -> Action? {
        self.sequence = max(self.sequence, sequence)
        self.offset = max(self.offset, offset)
        // There may be more.
        return .read(from: self.offset)
    }

    /// There was no complete record after the offset.
    package mutating func foundNothing() -> Action? {
        isBusy = false
        switch stage {
        case .open where !hasRung && offset >= Self.lengthToEmpty:
            isBusy = true
            return .empty(ifSize: offset)
        case .sealed:
            isBusy = true
            return .delete
        case .open, .ending, .deleted:
            return next()
        }
    }

    /// The journal was emptied, or it was not because something was being added. Its writer will then ring.
    package mutating func emptied(_ isEmpty: Bool) -> Action? {
        if isEmpty { offset = 0 }
        isBusy = false
        return next()
    }

    package mutating func sealed() -> Action? {
        stage = .sealed
        return .read(from: offset)
    }

    package mutating func deleted() {
        stage = .deleted
        isBusy = false
    }

    private mutating func next() -> Action? {
        guard !isBusy else { return nil }
        switch stage {
        case .open:
            guard hasRung else { return nil }
            hasRung = false
            isBusy = true
            return .read(from: offset)
        case .ending:
            isBusy = true
            return .seal
        case .sealed, .deleted:
            return nil
        }
    }
}
