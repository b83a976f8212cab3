// SPDX-License-Identifier: Apache-2.0

/// Monitors whether the store's disk is full, according to its last answer: an unresponsive disk, such as a network
/// disk, blocks its caller.
///
/// Used on one thread; never waits after its init.
final class DiskMonitor {
    private let store: String
    private let space: @Sendable (String) -> UInt64?
    /// The disk's last answer.
    private(set) var isFull: Bool
    /// Whether it was queried and has not answered yet.
    private(set) var isAsked = false

    /// Queries the disk before it returns, so that nothing has to be assumed: the store has just been opened there.
    init(store: String, space: @escaping @Sendable (String) -> UInt64?) {
        self.store = store
        self.space = space
        isFull = Self.isFull(space(store))
    }

    /// See `ConditionMonitor.makeDiskQuestion`.
    func makeQuestion() -> (@Sendable () -> Bool)? {
        guard !isAsked else { return nil }
        isAsked = true
        return { [store, space] in Self.isFull(space(store)) }
    }

    /// See `ConditionMonitor.receiveDisk`.
    func receive(_ isFull: Bool?) {
        isAsked = false
        if let isFull { self.isFull = isFull }
    }

    private static func isFull(_ space: UInt64?) -> Bool { space.map { $0 < DiskSpace.leastFree } ?? false }
}
