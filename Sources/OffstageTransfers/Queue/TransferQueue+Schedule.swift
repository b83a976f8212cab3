// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
import OffstageCore

/// What the time of day has to do with transfers.
extension TransferQueue {
    /// Whether the schedule lets nothing run now.
    var isHeldBySchedule: Bool { limits.holdsEverything }

    /// What a client is told of the schedule: whether it decides now, lets nothing run, and when it is looked at next; nil
    /// where the settings have none.
    package var scheduleReport: (isInForce: Bool, isPause: Bool, until: Date?)? { limits.report }

    /// Does what the time of day asks for.
    func heedSchedule() {
        guard limits.look(at: environment.now().wall, in: environment.zone) else { return }
        if limits.holdsEverything { breakOffForSchedule() } else { shareBandwidth() }
    }

    private func breakOffForSchedule() {
        for (id, entry) in live {
            guard case .running = entry.transfer.state else { continue }
            let detail = "the schedule in the settings lets nothing run"
            step(id) { $0.networkLost(detail, reached: kept(of: entry.transfer), now: $1) }
        }
    }
}
