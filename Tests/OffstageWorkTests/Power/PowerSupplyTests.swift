import OffstageTestSupport
// SPDX-License-Identifier: Apache-2.0
import OffstageWork
import Testing

@Suite struct `Reading power supplies` {
    private let system: FakeSystem

    init() throws { system = try FakeSystem() }

    private var supplies: [PowerSupply] { PowerSupply.all(in: system.sys) }

    @Test func `a machine without the folder has none`() {
        #expect(PowerSupply.all(in: SystemFolder("/nowhere/at/all")).isEmpty)
        #expect(supplies.isEmpty)
    }

    @Test func `an adapter is online or not`() throws {
        try system.setSupply("AC", ["type": "Mains", "online": "1"])
        #expect(supplies == [PowerSupply(name: "AC", role: .mains(isOnline: true))])
        try system.setSupply("AC", ["online": "0"])
        #expect(supplies == [PowerSupply(name: "AC", role: .mains(isOnline: false))])
    }

    @Test(arguments: ["USB", "USB_C", "USB_PD", "USB_PD_DRP", "USB_DCP", "Wireless", "BrickID"])
    func `a port may feed the machine`(_ type: String) throws {
        // A programmable supply reports 2.
        try system.setSupply("port", ["type": type, "online": "2"])
        #expect(supplies == [PowerSupply(name: "port", role: .port(isOnline: true))])
    }

    @Test(arguments: ["Battery", "UPS"])
    func `a battery tells its charge and what becomes of it`(_ type: String) throws {
        try system.setSupply(
            "BAT0",
            [
                "type": type, "scope": "System", "present": "1", "status": "Discharging", "capacity": "42",
                "energy_full": "50000000",
            ]
        )
        let battery = PowerSupply.Battery(status: .discharging, charge: 0.42, fullEnergy: 50_000_000)
        #expect(supplies == [PowerSupply(name: "BAT0", role: .battery(battery))])
    }

    @Test(arguments: PowerSupply.Battery.Status.allCases)
    func `every status of the kernel's is known`(_ status: PowerSupply.Battery.Status) throws {
        try system.setSupply("BAT0", ["type": "Battery", "status": status.rawValue])
        #expect(supplies.map(\.role) == [.battery(PowerSupply.Battery(status: status, charge: nil))])
    }

    @Test func `a status that nobody knows is unknown`() throws {
        try system.setSupply("BAT0", ["type": "Battery", "status": "Sleepy"])
        #expect(supplies.map(\.role) == [.battery(PowerSupply.Battery(status: .unknown, charge: nil))])
    }

    @Test func `a battery without a percentage is worked out from what it holds`() throws {
        try system.setSupply("BAT0", ["type": "Battery", "energy_full": "40000000", "energy_now": "10000000"])
        try system.setSupply("BAT1", ["type": "Battery", "charge_full": "4000000", "charge_now": "3000000"])
        try system.setSupply("BAT2", ["type": "Battery", "charge_full": "0", "charge_now": "0"])
        let charges = supplies.map { supply -> Double? in
            guard case .battery(let battery) = supply.role else { return nil }
            return battery.charge
        }
        #expect(charges == [0.25, 0.75, nil])
    }

    @Test func `a percentage beyond the bounds is cut off`() throws {
        try system.setSupply("BAT0", ["type": "Battery", "capacity": "104"])
        #expect(PowerState(supplies).charge == 1)
    }

    @Test(arguments: ["nan", "inf", "1e400", "0x20", "-5", "", "many"])
    func `what is no number of digits says nothing`(_ text: String) throws {
        try system.setSupply("BAT0", ["type": "Battery", "status": "Full", "capacity": text, "energy_full": text])
        try system.setSupply("AC", ["type": "Mains", "online": text])
        let battery = PowerSupply.Battery(status: .full, charge: nil)
        #expect(supplies == [PowerSupply(name: "BAT0", role: .battery(battery))])
    }

    @Test func `what does not feed the machine is left out`() throws {
        try system.setSupply("mouse", ["type": "Battery", "scope": "Device", "capacity": "3"])
        try system.setSupply("bay", ["type": "Battery", "present": "0", "status": "Unknown"])
        try system.setSupply("mute", ["type": "Mains"])
        try system.setSupply("strange", ["type": "Unknown", "online": "0"])
        try system.setSupply("empty", [:])
        #expect(supplies.isEmpty)
    }

    @Test func `they come in the order of their names`() throws {
        for name in ["BAT1", "AC", "BAT0"] { try system.setSupply(name, ["type": "Mains", "online": "0"]) }
        #expect(supplies.map(\.name) == ["AC", "BAT0", "BAT1"])
    }
}
