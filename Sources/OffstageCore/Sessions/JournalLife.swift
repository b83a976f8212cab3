// SPDX-License-Identifier: Apache-2.0

/// The life of one hand-over journal in the daemon: when it is read, emptied, sealed and deleted.
///
/// One thing is under way at a time. Nothing that was handed over is lost: a journal is emptied only when all of it is
/// in the store, and deleted only after it was sealed, so that nothing can be added, and then read to its end.
package struct JournalLife: Sendable, Hashable {
    /// What is to be done next; its outcome is told by the method that is named.
    package enum Action: Sendable, Hashable {
        /// Read records from this byte, make them durable, then `imported` or `foundNothing`.
        case read(from: Int64)
        /// If it still has this size, and nobody is just writing, make it empty; then `emptied`.
        case empty(ifSize: Int64)
        /// Take the permission to write away, once nobody is just writing; then `sealed`.
        case seal
        /// Delete its entry in the store and the file; then `deleted`.
        case delete
    }

    package enum Stage: Sendable, Equatable {
        /// A connection has it.
        case open
        /// Nobody adds to it any more, but that is not certain yet.
        case ending
        /// Nobody can add to it.
        case sealed
        case deleted
    }

    package private(set) var stage: Stage
    /// The byte up to which everything is in the store.
    package private(set) var offset: Int64 = 0
    /// The last record that is in the store.
    package private(set) var sequence: UInt64
    /// Whether something is under way.
    package private(set) var isBusy = false
    private var hasRung = false

    /// A journal that is longer is emptied whenever its end is reached. Bytes.
    package static let lengthToEmpty: Int64 = 65_536

    /// - Parameters:
    ///   - sequence: the last record that is in the store.
    ///   - isOpen: false for a journal that a daemon before left.
    package init(sequence: UInt64 = 0, isOpen: Bool = true) {
        self.sequence = sequence
        stage = isOpen ? .open : .ending
    }

    /// Whether a record has its effect already.
    package func isImported(_ record: UInt64) -> Bool { record <= sequence }

    /// What to do first with a journal that was left, or whose connection has gone.
    package mutating func connectionEnded() -> Action? {
        if stage == .open { stage = .ending }
        return next()
    }

    /// The client says that there are new records.
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

    /// There was no whole record behind the offset.
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

    /// The journal was made empty, or it was not because something was, or was being, added: whoever did that rings.
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
