// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageRuntime

extension TransferQueue {
    /// Called by the loop at the time that `armAlarm` set, and whenever the wall clock was set.
    package func alarmRang() {
        let now = environment.now()
        // What is left over is due at once again: the loop turns in between.
        let due = deadlines.popDue(at: now, limit: Self.dueAtOnce)
        if deadlines.takeNetworkLoss(at: now) { breakOffUnreachable() }
        if !due.isEmpty { wake(Array(due)) }
        let wasHeld = isHeldBySchedule
        heedSchedule()
        if wasHeld, !isHeldBySchedule { fill() }
        armAlarm()
    }

    private func wake(_ ids: [TransferID]) {
        loop.startTask {
            for start in stride(from: 0, to: ids.count, by: 256) {
                let chunk = Array(ids[start..<min(start + 256, ids.count)])
                await load(chunk)
                for id in chunk {
                    // A decision that is being committed is released when that is done: not before.
                    if step(id, { $0.woken(now: $1) }) == nil { release(id) }
                }
            }
            armAlarm()
            fill()
        }
    }

    func armAlarm() {
        let earliest = deadlines.earliest
        let wall = [earliest.wall, limits.due?.timeIntervalSince1970].compactMap(\.self).min()
        loop.setAlarm(alarm, uptime: earliest.uptime, wall: wall)
    }

    /// Called by the loop when links, addresses or routes have changed, or what transfers need of the machine.
    package func networkChanged() {
        if !deadlines.isWatchingNetworkLoss, live.values.contains(where: { wayIsLost($0.transfer) != nil }) {
            deadlines.noteNetworkLoss(now: environment.now())
            armAlarm()
        }
        let back = waitingOnConnection
        if !back.isEmpty {
            loop.startTask {
                let ids = Array(back)
                for start in stride(from: 0, to: ids.count, by: 256) {
                    let chunk = Array(ids[start..<min(start + 256, ids.count)])
                    await load(chunk)
                    retryReachable(chunk)
                    await Task.yield()
                }
            }
        }
        fill()
    }

    private func retryReachable(_ ids: [TransferID]) {
        for id in ids {
            guard let entry = live[id] else { continue }
            // It may have been decided otherwise since.
            if waitingOnConnection.contains(id), environment.networkProblem(entry.transfer.spec.url.host) == nil {
                step(id) { $0.retry(now: $1) }
            } else {
                release(id)
            }
        }
    }

    /// Deadlines that are dealt with in one turn of the loop.
    static let dueAtOnce = 1000

    /// Why the attempt under way must not go on; nil when it may, or there is none.
    private func wayIsLost(_ transfer: Transfer) -> String? {
        guard case .running = transfer.state else { return nil }
        if environment.networkProblem(transfer.spec.url.host) != nil { return "the network went away" }
        let hold = machine.hold(transfer.spec.needs.underWay, transfer.spec.url.host)
        // What is only being asked for is no reason yet.
        guard let hold, hold != .unknownNetwork else { return nil }
        return "the network became one that it must not use"
    }

    private func breakOffUnreachable() {
        for (id, entry) in live {
            guard let detail = wayIsLost(entry.transfer) else { continue }
            step(id) { $0.networkLost(detail, reached: kept(of: entry.transfer), now: $1) }
        }
    }
}
