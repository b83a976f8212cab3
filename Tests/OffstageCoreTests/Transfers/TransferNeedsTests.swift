// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

@Suite struct TransferNeedsTests {
    private static let all: TransferNeeds = [.noCellular, .noExpensive, .noConstrained, .goodMoment]

    /// Each case is an array: the compiler cannot type-check a whole table of pairs at once.
    private static let table: [(TransferNeeds, MachineConditions, TransferHold?)] =
        [
            ([], MachineConditions(network: .cellular, hasExternalPower: false, isDataLow: true), nil),
            (all, MachineConditions(), nil), (all, MachineConditions(isBusy: true, isDiskFull: true), nil),
            (.noCellular, MachineConditions(network: .cellular), .cellular),
            (.noCellular, MachineConditions(network: .metered), nil),
        ]
        + [
            (.noExpensive, MachineConditions(network: .cellular), .expensive),
            (.noExpensive, MachineConditions(network: .metered), .expensive),
            (.noExpensive, MachineConditions(hasExternalPower: false, isDataLow: true), nil),
            (.noConstrained, MachineConditions(isDataLow: true), .lowData),
            (.noConstrained, MachineConditions(network: .cellular, hasExternalPower: false), nil),
        ]
        + [
            (.goodMoment, MachineConditions(hasExternalPower: false), .externalPower),
            (.goodMoment, MachineConditions(network: .metered), .betterNetwork),
            (.goodMoment, MachineConditions(network: .cellular, hasExternalPower: false), .betterNetwork),
            (.goodMoment, MachineConditions(isDataLow: true), .betterNetwork),
            (all.underWay, MachineConditions(hasExternalPower: false), nil),
        ]

    @Test(arguments: table.indices) func `a transfer waits for what its app is particular about`(row: Int) {
        let (needs, conditions, hold) = Self.table[row]
        #expect(needs.hold(conditions) == hold)
    }

    @Test func `while the cost of the network is being asked for, only who depends on it waits`() {
        #expect(TransferNeeds([]).hold(nil) == nil)
        #expect(TransferNeeds.noConstrained.hold(nil) == nil)
        for needs in [.noCellular, .noExpensive, .goodMoment] as [TransferNeeds] {
            #expect(needs.hold(nil) == .unknownNetwork)
        }
    }

    /// Whether the server is this machine and the cost is known, the simulated network, and the hold if metered.
    private static let places: [(Bool, Bool, MachineConditions.Network?, TransferHold?)] = [
        (false, true, nil, .expensive), (false, false, nil, .unknownNetwork),
        (true, true, nil, nil), (true, false, nil, nil),
        (false, true, .unmetered, nil), (false, false, .unmetered, nil),
        (true, true, .metered, .expensive), (true, false, .cellular, .expensive),
    ]

    @Test(arguments: places.indices)
    func `what stays on this machine costs nothing, unless somebody pretends so`(row: Int) {
        let (isHere, isKnown, network, hold) = Self.places[row]
        var pretended = PretendedConditions()
        pretended.network = network
        let real = MachineConditions(network: .metered)
        let found = TransferNeeds.noExpensive.hold(real, pretended: pretended, isMeterKnown: isKnown, isHere: isHere)
        #expect(found == hold)
    }

    @Test func `low data mode holds whoever it is for, on this machine too`() {
        let real = MachineConditions(network: .metered, isDataLow: true)
        let hold = TransferNeeds.noConstrained.hold(real, pretended: .init(), isMeterKnown: false, isHere: true)
        #expect(hold == .lowData)
    }

    @Test func `needs are stored by their names, and no other name is taken`() throws {
        let encoded = try JSONEncoder().encode(Self.all)
        let names = #"["noCellular","noExpensive","noConstrained","goodMoment"]"#
        #expect(String(decoding: encoded, as: UTF8.self) == names)
        #expect(try JSONDecoder().decode(TransferNeeds.self, from: encoded) == Self.all)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(TransferNeeds.self, from: Data(#"["noise"]"#.utf8))
        }
    }
}
