// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageRuntime

/// Transfers as deferred work sees them: one may be under way, and what the machine allows them can be asked.
actor StandInTransfers: WorkTransfers {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private(set) var hasAttemptsUnderWay = false
    private var observers: [UInt64: @Sendable () -> Void] = [:]
    private var nextToken: UInt64 = 1
    private var hold: (@Sendable (TransferNeeds, String) -> TransferHold?)?
    private var wish: (@Sendable (TransferNeeds) -> Void)?
    /// How often it was told that networks or conditions have changed.
    private(set) var changes = 0

    init(loop: EventLoop) { self.loop = loop }

    func begin() { hasAttemptsUnderWay = true }

    func end() {
        hasAttemptsUnderWay = false
        for observer in observers.values { observer() }
    }

    /// Waiting transfers have these needs together.
    func need(_ needs: TransferNeeds) { wish?(needs) }

    func hold(_ needs: TransferNeeds, _ host: String) -> TransferHold? { hold?(needs, host) }

    /// How many wait to be told of ends.
    var observing: Int { observers.count }

    // MARK: WorkTransfers

    func observeEnds(_ report: @escaping @Sendable () -> Void) -> UInt64 {
        defer { nextToken += 1 }
        observers[nextToken] = report
        return nextToken
    }

    func stopObserving(_ token: UInt64) { observers[token] = nil }
    func networkChanged() { changes += 1 }

    func setMachine(
        hold: @escaping @Sendable (TransferNeeds, _ host: String) -> TransferHold?,
        wish: @escaping @Sendable (TransferNeeds) -> Void
    ) { (self.hold, self.wish) = (hold, wish) }
}
