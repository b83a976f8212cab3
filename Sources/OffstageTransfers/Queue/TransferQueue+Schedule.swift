// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
import OffstageCore

/// What the time of day has to do with transfers.
extension TransferQueue {
    /// Whether the schedule lets nothing run now.
    var isHeldBySchedule: Bool { !scheduleStanding.effect.transfers }

    /// What a client is told of the schedule: whether it decides now, lets nothing run, and when it is looked at next; nil
    /// where the settings have none.
    package var scheduleReport: (isInForce: Bool, isPause: Bool, until: Date?)? {
        guard !daySchedule.isEmpty else { return nil }
        let effect = scheduleStanding.effect
        return (effect.entry != nil && !scheduleStanding.isOverruled, !effect.transfers, scheduleStanding.until)
    }

    /// Does what the time of day asks for.
    func heedSchedule() {
        let now = environment.now().wall
        guard let effect = scheduleStanding.look(daySchedule, at: now, in: environment.zone) else { return }
        globalRateLimit = effect.rateLimit
        if effect.transfers { shareBandwidth() } else { breakOffForSchedule() }
    }

    /// A person has set the limit of all transfers.
    func overruleSchedule() {
        guard !daySchedule.isEmpty else { return }
        scheduleStanding.overrule()
        fill()
    }

    private func breakOffForSchedule() {
        for (id, entry) in live {
            guard case .running = entry.transfer.state else { continue }
            let detail = "the schedule in the settings lets nothing run"
            step(id) { $0.networkLost(detail, reached: kept(of: entry.transfer), now: $1) }
        }
    }
}
