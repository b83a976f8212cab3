// SPDX-License-Identifier: Apache-2.0

/// What of the machine decides whether deferred work may run, and transfers that are particular about it.
package struct MachineConditions: Sendable, Hashable, Codable {
    package enum Network: String, Sendable, Hashable, Codable {
        case none
        /// A mobile network, which counts as metered.
        case cellular
        case metered, unmetered

        /// Whether somebody pays for what goes over it.
        package var isExpensive: Bool { self == .cellular || self == .metered }
    }

    package var network: Network
    /// True where there is no battery.
    package var hasExternalPower: Bool
    /// 0 to 1; nil where there is no battery.
    package var batteryCharge: Double?
    /// Whether others want the processor, or a person uses the machine.
    package var isBusy: Bool
    /// Whether the disk of the store is as good as full.
    package var isDiskFull: Bool
    /// Whether as little as possible is to go over the network: Apple's Low Data Mode.
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

/// What a developer pretends, instead of what the machine says; nil for what is not pretended.
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
