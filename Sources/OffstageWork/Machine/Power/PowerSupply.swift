// SPDX-License-Identifier: Apache-2.0

/// One device that feeds the machine, from `/sys/class/power_supply`.
package struct PowerSupply: Sendable, Hashable {
    package enum Role: Sendable, Hashable {
        /// A separate adapter, whose report is reliable.
        case mains(isOnline: Bool)
        /// A port that may feed the machine. Some firmware reports a feeding port as offline.
        case port(isOnline: Bool)
        case battery(Battery)
    }

    package struct Battery: Sendable, Hashable {
        package enum Status: String, Sendable, Hashable, CaseIterable {
            case charging = "Charging"
            case discharging = "Discharging"
            case notCharging = "Not charging"
            case full = "Full"
            case unknown = "Unknown"
        }

        package var status: Status
        /// The charge from 0 to 1; nil if not reported.
        package var charge: Double?
        /// The energy when full, in µWh; nil if not reported, or measured in µAh.
        package var fullEnergy: Double?
        /// The charge when full, in µAh; nil if not reported.
        package var fullCharge: Double?

        package init(status: Status, charge: Double?, fullEnergy: Double? = nil, fullCharge: Double? = nil) {
            self.status = status
            self.charge = charge
            self.fullEnergy = fullEnergy
            self.fullCharge = fullCharge
        }
    }

    /// The name, such as `BAT0`.
    package let name: String
    package let role: Role

    package init(name: String, role: Role) {
        self.name = name
        self.role = role
    }

    /// All devices that feed the machine, excluding a mouse's battery and empty bays.
    package static func all(in sys: SystemFolder) -> [PowerSupply] {
        sys.names(in: folder).compactMap { PowerSupply(name: $0, in: sys) }
    }

    private static let folder = "class/power_supply"

    private init?(name: String, in sys: SystemFolder) {
        let device = SystemFolder(sys.path(Self.folder + "/" + name))
        // Without a scope it belongs to the machine: only peripherals report their scope reliably.
        guard let type = device.text("type"), device.text("scope") != "Device" else { return nil }
        self.name = name
        switch type {
        case "Battery", "UPS":
            guard device.number("present") != 0 else { return nil }
            role = .battery(Battery(device))
        case "Mains":
            guard let isOnline = Self.isOnline(device) else { return nil }
            role = .mains(isOnline: isOnline)
        case _ where Self.isPort(type):
            guard let isOnline = Self.isOnline(device) else { return nil }
            role = .port(isOnline: isOnline)
        default:
            return nil
        }
    }

    /// The kernel has a type for each kind of USB charger, such as `USB_C` and `USB_PD`.
    private static func isPort(_ type: String) -> Bool {
        type.hasPrefix("USB") || type == "Wireless" || type == "BrickID"
    }

    /// 1 is a fixed supply and 2 a programmable one.
    private static func isOnline(_ device: SystemFolder) -> Bool? { device.number("online").map { $0 > 0 } }
}

extension PowerSupply.Battery {
    fileprivate init(_ device: SystemFolder) {
        let fullEnergy = device.number("energy_full")
        let fullCharge = device.number("charge_full")
        var percent = device.number("capacity")
        if percent == nil, let full = fullEnergy, full > 0 {
            percent = device.number("energy_now").map { $0 / full * 100 }
        }
        if percent == nil, let full = fullCharge, full > 0 {
            percent = device.number("charge_now").map { $0 / full * 100 }
        }
        self.init(
            status: device.text("status").flatMap(Status.init(rawValue:)) ?? .unknown,
            charge: percent.map { min(1, max(0, $0 / 100)) },
            fullEnergy: fullEnergy,
            fullCharge: fullCharge
        )
    }
}
