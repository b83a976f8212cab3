// SPDX-License-Identifier: Apache-2.0

/// Whether the machine is fed from outside, and how full its batteries are: a rule over what each supply says.
package struct PowerState: Sendable, Hashable {
    package let hasExternalPower: Bool
    /// 0 to 1; nil where there is no battery, or none that says.
    package let charge: Double?
    /// Whether there is a battery, so that power may come and go.
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
        // What runs without a battery is fed from outside, whatever its ports say.
        if batteries.isEmpty { return true }
        // The adapter is heard of before the battery: one that still says that it charges is late.
        if !mains.isEmpty { return false }
        // A port is not believed: one that feeds a battery that is full, or kept below that, may say that it is offline.
        return batteries.contains(.charging) || !batteries.contains(.discharging)
    }

    /// The mean by what each holds when full, where all say so in one measure; else the plain mean.
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
