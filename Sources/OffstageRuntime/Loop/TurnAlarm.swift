// SPDX-License-Identifier: Apache-2.0

/// An alarm whose times follow from what its owner knows: it is set once at the end of each turn of the loop that has
/// changed them, however often that was.
///
/// `@unchecked Sendable`: belongs to the loop, which every call checks.
package final class TurnAlarm: @unchecked Sendable {
    package typealias Times = (uptime: Double?, wall: Double?)

    private let loop: EventLoop
    private let alarm: EventLoop.Alarm
    private var times: () -> Times = { (nil, nil) }
    private var isStale = false

    package init(loop: EventLoop) {
        self.loop = loop
        alarm = loop.makeAlarm()
    }

    /// - Parameters:
    ///   - times: when it rings next, as `EventLoop.setAlarm` takes it; asked on the loop at the end of a turn.
    ///   - ring: called on the loop when one of these times has come, and when the wall clock was set.
    package func start(times: @escaping () -> Times, ring: @escaping () -> Void) {
        loop.checkIsolated()
        self.times = times
        loop.onAlarm(alarm, handler: ring)
    }

    /// What it is set by may have changed.
    package func changed() {
        loop.checkIsolated()
        guard !isStale else { return }
        isStale = true
        loop.post { self.set() }
    }

    private func set() {
        isStale = false
        let (uptime, wall) = times()
        loop.setAlarm(alarm, uptime: uptime, wall: wall)
    }
}
