// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageRuntime

/// Finds transfers that wait for an unresponsive file system, such as a mount whose server is gone. They report that,
/// and leave their slots to other transfers. They are not broken off: a call that has not returned may still write.
///
/// It checks only while a transfer with a file outside the daemon's own file system is under way. The cost grows with
/// the number of transfers in memory.
///
/// `@unchecked Sendable`: belongs to the loop, as the registry does.
final class StallWatch: @unchecked Sendable {
    private let registry: TransferRegistry
    private let turns: TransferTurns
    private let notices: TransferNotices
    private let lanes: FileLanes
    private let alarm: EventLoop.Alarm
    private var isWatching = false
    /// The calls under way that open or save files, each since it was first seen.
    private var calls: [TransferID: UnansweredCall] = [:]
    /// Returns the transfers whose requests are stalled in the engine.
    private var inEngine: (@Sendable (_ uptime: Double) -> Set<TransferID>)?

    init(_ registry: TransferRegistry, _ turns: TransferTurns, _ notices: TransferNotices, _ lanes: FileLanes) {
        self.registry = registry
        self.turns = turns
        self.notices = notices
        self.lanes = lanes
        alarm = registry.loop.makeAlarm()
    }

    /// - Parameter inEngine: the transfers whose requests are stalled.
    func start(_ inEngine: @escaping @Sendable (_ uptime: Double) -> Set<TransferID>) {
        self.inEngine = inEngine
        registry.loop.onAlarm(alarm) { [weak self] in self?.look() }
    }

    /// Called when a transfer's files are about to be used.
    func begins(_ spec: TransferSpec) {
        guard !isWatching, place(of: spec) != nil else { return }
        isWatching = true
        setAlarm()
    }

    private func setAlarm() {
        registry.loop.setAlarm(alarm, uptime: registry.loop.uptime + UnansweredCall.interval)
    }

    private func look() {
        let uptime = registry.loop.uptime
        var stalled = inEngine?(uptime) ?? []
        let elsewhere = registry.live.filter { isUnderWay($1) && place(of: $1.transfer.spec) != nil }
        for (id, entry) in elsewhere
        where entry.usesFile && lanes.firstElsewhere(entry.transfer.spec.paths) != nil {
            let call = calls[id] ?? UnansweredCall(at: uptime)
            calls[id] = call
            if call.isStalled(at: uptime) { stalled.insert(id) }
        }
        calls = calls.filter { elsewhere[$0.key]?.usesFile == true }
        for (id, entry) in registry.live where stalled.contains(id) != (entry.stall != nil) {
            if entry.stall == nil {
                let path = place(of: entry.transfer.spec) ?? entry.transfer.spec.path
                registry[id]?.stall = FileSystemStall(path: path, since: registry.now().wall)
                turns.leave(id)
                turns.settled(id)
            } else {
                registry[id]?.stall = nil
            }
            notices.changed(entry.transfer)
        }
        if !stalled.isEmpty { turns.fill() }
        isWatching = !elsewhere.isEmpty
        if isWatching { setAlarm() }
    }

    /// The file that a transfer may wait for: the first that is not in the daemon's own file system.
    private func place(of spec: TransferSpec) -> String? {
        lanes.firstElsewhere(spec.paths) ?? lanes.firstElsewhere(spec.connectionPaths)
    }

    private func isUnderWay(_ entry: LiveTransfer) -> Bool {
        if case .saving = entry.transfer.state { return true }
        return entry.run != nil
    }
}

extension LiveTransfer {
    /// Whether a worker is opening or saving the transfer's file.
    fileprivate var usesFile: Bool {
        if case .saving = transfer.state { return true }
        return run?.attempt.phase == .opening
    }
}
