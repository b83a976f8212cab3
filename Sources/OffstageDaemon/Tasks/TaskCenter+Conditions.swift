// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol

/// What the machine is like, and what a developer pretends.
extension TaskCenter {
    var conditions: MachineConditions { pretended.applied(to: machine) }

    var machineReport: ConditionsReport {
        ConditionsReport(conditions: conditions, pretended: pretended, sources: sources)
    }

    /// The machine is like this from now on.
    func machineHasChanged(to conditions: MachineConditions, sources: [String: String]) {
        let before = self.conditions
        machine = conditions
        self.sources = sources
        if self.conditions != before { step(.conditions(self.conditions)) }
    }

    func pretend(_ request: PretendConditions) throws(WireFailure) -> PretendConditions.Reply {
        if let pretended = request.pretended {
            if let charge = pretended.batteryCharge, !(0...1).contains(charge) {
                throw WireFailure(.badRequest, "The charge of a battery is from 0 % to 100 %.")
            }
            let before = conditions
            self.pretended = pretended
            if conditions != before { step(.conditions(conditions)) }
        }
        return PretendConditions.Reply(machine: machineReport)
    }
}
