// SPDX-License-Identifier: Apache-2.0

/// An alarm whose times follow from its owner's state. It is set at most once per turn of the loop, at the end, if the
/// state has changed.
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
    ///   - times: the next times, as for `EventLoop.setAlarm`; called on the loop at the end of a turn.
    ///   - ring: called on the loop when one of these times comes, and when the wall clock was set.
    package func start(times: @escaping () -> Times, ring: @escaping () -> Void) {
        loop.checkIsolated()
        self.times = times
        loop.onAlarm(alarm, handler: ring)
    }

    /// Called when the state that its times depend on may have changed.
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
