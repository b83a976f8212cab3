// SPDX-License-Identifier: Apache-2.0
import OffstageWork
import Testing

private typealias Status = PowerSupply.Battery.Status

@Suite struct `What power supplies amount to` {
    private static func state(
        _ statuses: [Status],
        mains: [Bool] = [],
        ports: [Bool] = []
    ) -> PowerState {
        PowerState(
            statuses.map { PowerSupply(name: "BAT", role: .battery(PowerSupply.Battery(status: $0, charge: 0.5))) }
                + mains.map { PowerSupply(name: "AC", role: .mains(isOnline: $0)) }
                + ports.map { PowerSupply(name: "usb", role: .port(isOnline: $0)) }
        )
    }

    private static func charge(_ batteries: [PowerSupply.Battery]) -> Double? {
        PowerState(batteries.map { PowerSupply(name: "BAT", role: .battery($0)) }).charge
    }

    /// Every selection of at most two of these.
    private static func choices<Item>(_ items: [Item]) -> [[Item]] {
        [[]] + items.map { [$0] } + items.flatMap { first in items.map { [first, $0] } }
    }

    @Test func `a machine with nothing to say is fed from outside`() {
        let state = PowerState([])
        #expect(state.hasExternalPower)
        #expect(state.charge == nil)
        #expect(!state.hasBattery)
    }

    @Test func `every set of supplies is judged by the first sentence that fits`() {
        for statuses in Self.choices(Status.allCases) {
            for mains in Self.choices([true, false]) {
                for ports in Self.choices([true, false]) {
                    let state = Self.state(statuses, mains: mains, ports: ports)
                    let comment: Comment = "batteries \(statuses), mains \(mains), ports \(ports)"
                    #expect(state.hasExternalPower == Self.expected(statuses, mains, ports), comment)
                    #expect(state.hasBattery == !statuses.isEmpty, comment)
                }
            }
        }
    }

    /// The sentences of `docs/conditions.md`, in their order.
    private static func expected(_ batteries: [Status], _ mains: [Bool], _ ports: [Bool]) -> Bool {
        let sentences: [(fits: Bool, isExternal: Bool)] = [
            ((mains + ports).contains(true), true),
            (batteries.isEmpty, true),
            (mains.contains(false), false),
            (batteries.contains(.charging), true),
            (batteries.contains(.discharging), false),
            (true, true),
        ]
        return sentences.first { $0.fits }?.isExternal ?? true
    }

    @Test func `a desktop whose ports say that they are offline is fed from outside`() {
        #expect(Self.state([], ports: [false, false]).hasExternalPower)
    }

    @Test func `an adapter that has just been pulled out counts before its battery notices`() {
        #expect(!Self.state([.charging], mains: [false]).hasExternalPower)
    }

    @Test func `a battery that charges is fed, whatever its port says`() {
        #expect(Self.state([.charging], ports: [false]).hasExternalPower)
    }

    @Test(arguments: [Status.full, .notCharging])
    fileprivate func `a battery that is full or kept below that is fed, whatever its port says`(_ status: Status) {
        #expect(Self.state([status], ports: [false]).hasExternalPower)
        #expect(!Self.state([status, .discharging], ports: [false]).hasExternalPower)
        #expect(!Self.state([status], mains: [false], ports: [false]).hasExternalPower)
    }

    @Test func `the charge is the mean by what each battery holds`() throws {
        let large = PowerSupply.Battery(status: .full, charge: 1, fullEnergy: 60_000_000)
        let small = PowerSupply.Battery(status: .discharging, charge: 0.2, fullEnergy: 20_000_000)
        #expect(abs(try #require(Self.charge([large, small])) - 0.8) < 1e-9)
        let first = PowerSupply.Battery(status: .full, charge: 1, fullCharge: 3_000_000)
        let second = PowerSupply.Battery(status: .full, charge: 0, fullCharge: 1_000_000)
        #expect(abs(try #require(Self.charge([first, second])) - 0.75) < 1e-9)
    }

    @Test func `batteries that cannot be compared count alike`() throws {
        let energy = PowerSupply.Battery(status: .full, charge: 1, fullEnergy: 60_000_000)
        let ampere = PowerSupply.Battery(status: .full, charge: 0.5, fullCharge: 1_000_000)
        #expect(Self.charge([energy, ampere]) == 0.75)
        let mute = PowerSupply.Battery(status: .full, charge: 0)
        #expect(Self.charge([energy, mute]) == 0.5)
        #expect(Self.charge([PowerSupply.Battery(status: .full, charge: 0.3, fullEnergy: 0)]) == 0.3)
    }

    @Test func `a battery that does not tell its charge says nothing of the others`() {
        let known = PowerSupply.Battery(status: .full, charge: 0.4)
        #expect(Self.charge([known, PowerSupply.Battery(status: .full, charge: nil)]) == 0.4)
        #expect(Self.charge([PowerSupply.Battery(status: .full, charge: nil)]) == nil)
    }
}
