// SPDX-License-Identifier: Apache-2.0

/// The machine's conditions that decide whether deferred work, and transfers with needs, may run.
package struct MachineConditions: Sendable, Hashable, Codable {
    package enum Network: String, Sendable, Hashable, Codable {
        case none
        /// A mobile network, which counts as metered.
        case cellular
        case metered, unmetered

        /// Whether it is metered.
        package var isExpensive: Bool { self == .cellular || self == .metered }
    }

    package var network: Network
    /// True without a battery.
    package var hasExternalPower: Bool
    /// 0 to 1; nil without a battery.
    package var batteryCharge: Double?
    /// Whether other programs use the processor, or a person uses the machine.
    package var isBusy: Bool
    /// Whether the store's disk is nearly full.
    package var isDiskFull: Bool
    /// Whether to use the network as little as possible: Apple's Low Data Mode.
    package var isDataLow: Bool

    package init(
        network: Network = .unmetered,
        hasExternalPower: Bool = true,
        batteryCharge: Double? = nil,
        isBusy: Bool = false,
        isDiskFull: Bool = false,
        isDataLow: Bool = false
    ) {
        self.network = network
        self.hasExternalPower = hasExternalPower
        self.batteryCharge = batteryCharge
        self.isBusy = isBusy
        self.isDiskFull = isDiskFull
        self.isDataLow = isDataLow
    }
}

/// A developer's simulated conditions in place of the machine's; nil for conditions that are not simulated.
package struct PretendedConditions: Sendable, Hashable, Codable {
    package var network: MachineConditions.Network?
    package var hasExternalPower: Bool?
    package var batteryCharge: Double?
    package var isBusy: Bool?
    package var isDiskFull: Bool?
    package var isDataLow: Bool?

    package init() {}

    package var isEmpty: Bool { self == PretendedConditions() }

    package func applied(to real: MachineConditions) -> MachineConditions {
        MachineConditions(
            network: network ?? real.network,
            hasExternalPower: hasExternalPower ?? real.hasExternalPower,
            batteryCharge: batteryCharge ?? real.batteryCharge,
            isBusy: isBusy ?? real.isBusy,
            isDiskFull: isDiskFull ?? real.isDiskFull,
            isDataLow: isDataLow ?? real.isDataLow
        )
    }
}
