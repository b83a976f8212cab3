// SPDX-License-Identifier: Apache-2.0
import OffstageCore
package import OffstageProtocol

/// The conditions of the machine, in `--json` output.
package struct ConditionsDocument: Encodable {
    let network: String
    let power: String
    let batteryCharge: Double?
    let load: String
    let disk: String
    let lowData: String
    /// The names of the pretended conditions.
    let pretended: [String]
    let sources: [String: String]
    /// Seconds.
    let clockAhead: Double

    package init(_ machine: ConditionsReport) {
        let conditions = machine.conditions
        network = conditions.network.rawValue
        power = conditions.hasExternalPower ? "external" : "battery"
        batteryCharge = conditions.batteryCharge
        load = conditions.isBusy ? "busy" : "idle"
        disk = conditions.isDiskFull ? "full" : "free"
        lowData = conditions.isDataLow ? "on" : "off"
        pretended = ConditionsText.pretended(machine.pretended).map(\.name)
        sources = machine.sources
        clockAhead = machine.ahead ?? 0
    }
}
