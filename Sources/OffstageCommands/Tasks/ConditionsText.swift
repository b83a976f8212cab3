// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import OffstageCore
package import OffstageProtocol

/// The conditions of the machine, for people.
package enum ConditionsText {
    /// The names of conditions, as commands take and print them.
    package static let names = ["network", "power", "battery", "load", "disk", "lowdata"]

    /// The value of a condition in a few words; nil if there is none.
    package static func value(_ name: String, _ conditions: MachineConditions) -> String? {
        switch name {
        case "network": conditions.network.rawValue
        case "power": conditions.hasExternalPower ? "external" : "battery"
        case "battery": conditions.batteryCharge.map { "\(Int(($0 * 100).rounded()))%" }
        case "load": conditions.isBusy ? "busy" : "idle"
        case "disk": conditions.isDiskFull ? "full" : "free"
        default: conditions.isDataLow ? "on" : "off"
        }
    }

    /// The pretended conditions by name, in the form accepted by `condition set`.
    package static func pretended(_ pretended: PretendedConditions) -> [(name: String, value: String)] {
        var pairs: [(String, String)] = []
        if let network = pretended.network { pairs.append(("network", network.rawValue)) }
        if let power = pretended.hasExternalPower { pairs.append(("power", power ? "external" : "battery")) }
        if let charge = pretended.batteryCharge {
            pairs.append(("battery", "\(Int(nearest: (charge * 100).rounded()))%"))
        }
        if let isBusy = pretended.isBusy { pairs.append(("load", isBusy ? "busy" : "idle")) }
        if let isFull = pretended.isDiskFull { pairs.append(("disk", isFull ? "full" : "free")) }
        if let isLow = pretended.isDataLow { pairs.append(("lowdata", isLow ? "on" : "off")) }
        return pairs
    }

    /// Warnings about all conditions that are not the machine's own; may be empty.
    package static func warnings(_ machine: ConditionsReport, usesColour: Bool) -> [String] {
        var lines: [String] = []
        let pairs = pretended(machine.pretended)
        if !pairs.isEmpty {
            let list = pairs.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
            lines.append("PRETENDED: \(list). 'offstage condition clear' restores the machine's own.")
        }
        if let ahead = machine.ahead, ahead > 0 {
            lines.append(
                "THE CLOCK IS AHEAD by \(Format.duration(ahead)). 'offstage daemon stop' restores the machine's own time."
            )
        }
        return lines.map { Style.bad($0, usesColour) }
    }

    /// `network unmetered, power external, battery 80%, load idle, disk free, lowdata off`.
    package static func line(_ machine: ConditionsReport) -> String {
        names.compactMap { name in value(name, machine.conditions).map { "\(name) \($0)" } }.joined(separator: ", ")
    }

    /// One line for each condition, with its origin.
    package static func lines(_ machine: ConditionsReport) -> [String] {
        let pretended = Set(pretended(machine.pretended).map(\.name))
        return names.map { name in
            let value = value(name, machine.conditions) ?? "none"
            let source = pretended.contains(name) ? "pretended" : machine.sources[name] ?? ""
            let room = String(repeating: " ", count: max(1, 10 - value.count))
            let text = DetailText.padded(name.prefix(1).uppercased() + name.dropFirst()) + " " + value
            return (source.isEmpty ? text : "\(text)\(room)(\(source))").redactedControls
        }
    }
}

extension ConditionsReport {
    /// The daemon's time, which `offstage simulate advance` may have moved ahead.
    func now(_ context: CommandContext) -> Date { context.now().addingTimeInterval(ahead ?? 0) }
}
