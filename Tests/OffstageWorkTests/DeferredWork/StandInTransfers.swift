// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageRuntime

/// Transfers as seen by deferred work: one may be under way, and the machine's allowances for them can be read.
actor StandInTransfers: WorkTransfers {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private(set) var hasAttemptsUnderWay = false
    private var observers: [UInt64: @Sendable () -> Void] = [:]
    private var nextToken: UInt64 = 1
    private var hold: (@Sendable (TransferNeeds, String) -> TransferHold?)?
    private var wish: (@Sendable (TransferNeeds) -> Void)?
    /// The number of notifications that networks or conditions have changed.
    private(set) var changes = 0

    init(loop: EventLoop) { self.loop = loop }

    func begin() { hasAttemptsUnderWay = true }

    func end() {
        hasAttemptsUnderWay = false
        for observer in observers.values { observer() }
    }

    /// The combined needs of the waiting transfers.
    func need(_ needs: TransferNeeds) { wish?(needs) }

    func hold(_ needs: TransferNeeds, _ host: String) -> TransferHold? { hold?(needs, host) }

    /// How many observers wait for ends.
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
