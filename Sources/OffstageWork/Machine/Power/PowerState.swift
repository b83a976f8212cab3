// SPDX-License-Identifier: Apache-2.0

/// Whether the machine has external power, and the charge of its batteries: a rule over the state of each supply.
package struct PowerState: Sendable, Hashable {
    package let hasExternalPower: Bool
    /// The charge from 0 to 1; nil if there is no battery, or none reports it.
    package let charge: Double?
    /// Whether there is a battery, so that external power may come and go.
    package let hasBattery: Bool

    package init(_ supplies: [PowerSupply]) {
        var batteries: [PowerSupply.Battery] = []
        var mains: [Bool] = []
        var ports: [Bool] = []
        for supply in supplies {
            switch supply.role {
            case .battery(let battery): batteries.append(battery)
            case .mains(let isOnline): mains.append(isOnline)
            case .port(let isOnline): ports.append(isOnline)
            }
        }
        hasBattery = !batteries.isEmpty
        charge = Self.charge(of: batteries)
        hasExternalPower = Self.hasExternalPower(batteries: batteries.map(\.status), mains: mains, ports: ports)
    }

    private static func hasExternalPower(
        batteries: [PowerSupply.Battery.Status],
        mains: [Bool],
        ports: [Bool]
    ) -> Bool {
        if mains.contains(true) || ports.contains(true) { return true }
        // A machine that runs without a battery has external power, whatever its ports report.
        if batteries.isEmpty { return true }
        // The adapter is reported before the battery, whose state may still be "charging".
        if !mains.isEmpty { return false }
        // Ports are not trusted: one that feeds a full battery may report that it is offline.
        return batteries.contains(.charging) || !batteries.contains(.discharging)
    }

    /// The mean weighted by capacity, if all batteries report it in the same unit; otherwise the plain mean.
    private static func charge(of batteries: [PowerSupply.Battery]) -> Double? {
        let known = batteries.filter { $0.charge != nil }
        guard !known.isEmpty else { return nil }
        for measure in [\PowerSupply.Battery.fullEnergy, \.fullCharge] {
            let weights = known.map { $0[keyPath: measure] ?? 0 }
            guard weights.allSatisfy({ $0 > 0 }) else { continue }
            let sum = zip(known, weights).reduce(0) { $0 + ($1.0.charge ?? 0) * $1.1 }
            return sum / weights.reduce(0, +)
        }
        return known.reduce(0) { $0 + ($1.charge ?? 0) } / Double(known.count)
    }
}
