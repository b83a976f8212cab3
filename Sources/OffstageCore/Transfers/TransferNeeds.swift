// SPDX-License-Identifier: Apache-2.0

/// The conditions, in addition to a route to its server, under which a transfer may move: the access flags of
/// `URLSessionConfiguration` and its `isDiscretionary`.
package struct TransferNeeds: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// No mobile network (`allowsCellularAccess` is false).
    package static let noCellular = TransferNeeds(rawValue: 1)
    /// No network that is billed by the byte (`allowsExpensiveNetworkAccess` is false).
    package static let noExpensive = TransferNeeds(rawValue: 2)
    /// No low data mode (`allowsConstrainedNetworkAccess` is false).
    package static let noConstrained = TransferNeeds(rawValue: 4)
    /// External power and an unmetered network to begin with (`isDiscretionary`).
    package static let goodMoment = TransferNeeds(rawValue: 8)

    /// Each need in a person's words.
    package var summary: [String] {
        [
            contains(.noCellular) ? "a network that is not mobile" : nil,
            contains(.noExpensive) ? "an unmetered network" : nil,
            contains(.noConstrained) ? "no low data mode" : nil,
            contains(.goodMoment) ? "a good moment: external power, an unmetered network" : nil,
        ].compactMap(\.self)
    }

    /// Whether these needs cannot be judged without the network's cost.
    package var dependOnMeter: Bool { !isDisjoint(with: [.noCellular, .noExpensive, .goodMoment]) }

    /// Whether these needs cannot be judged without the power source.
    package var dependOnPower: Bool { contains(.goodMoment) }

    /// The needs of an attempt under way: a good moment matters only for its beginning.
    package var underWay: TransferNeeds { subtracting(.goodMoment) }

    /// Evaluates the machine for a transfer with one server.
    ///
    /// Traffic that stays on this machine costs nothing, whatever the network is like. Pretended conditions apply to
    /// every server: otherwise they could not be tried with a local one.
    ///
    /// - Parameters:
    ///   - real: the machine's conditions, as observed.
    ///   - pretended: the conditions that a developer puts in their place.
    ///   - isMeterKnown: whether `real` includes the network's cost.
    ///   - isHere: whether the server is this machine.
    /// - Returns: why a transfer with these needs does not move; nil if it may.
    package func hold(
        _ real: MachineConditions,
        pretended: PretendedConditions,
        isMeterKnown: Bool,
        isHere: Bool
    ) -> TransferHold? {
        var real = real
        if isHere { real.network = .unmetered }
        let isKnown = isHere || pretended.network != nil || isMeterKnown
        return hold(isKnown ? pretended.applied(to: real) : nil)
    }

    /// Evaluates the machine.
    ///
    /// - Parameter conditions: nil while it is being determined whether the network costs money.
    /// - Returns: why a transfer with these needs does not move; nil if it may.
    package func hold(_ conditions: MachineConditions?) -> TransferHold? {
        guard let conditions else { return dependOnMeter ? .unknownNetwork : nil }
        if contains(.noCellular), conditions.network == .cellular { return .cellular }
        if contains(.noExpensive), conditions.network.isExpensive { return .expensive }
        if contains(.noConstrained), conditions.isDataLow { return .lowData }
        guard contains(.goodMoment) else { return nil }
        if conditions.network.isExpensive || conditions.isDataLow { return .betterNetwork }
        return conditions.hasExternalPower ? nil : .externalPower
    }
}

/// The reason that keeps a transfer from moving on this machine.
package enum TransferHold: String, Sendable, Hashable, Codable, CaseIterable {
    /// The only network is cellular, and the app does not allow that.
    case cellular
    /// The network costs money, and the app does not allow that.
    case expensive
    /// Low data mode is on, and the app does not allow any use of data then.
    case lowData
    /// The app leaves the moment to the system, and the network costs money or low data mode is on.
    case betterNetwork
    /// The app leaves the moment to the system, and the machine runs on its battery.
    case externalPower
    /// It is being determined whether the network costs money.
    case unknownNetwork
    /// The settings' schedule lets nothing run at this time of day.
    case schedule
    /// A fleet's rules for this machine keep it from moving.
    case fleet

    /// The awaited condition, in a few words that fit a table.
    package var summary: String {
        switch self {
        case .cellular: "waiting for a network that is not mobile"
        case .expensive: "waiting for an unmetered network"
        case .lowData: "waiting for the end of low data mode"
        case .betterNetwork: "waiting for an unmetered network: it is discretionary"
        case .externalPower: "waiting for external power: it is discretionary"
        case .unknownNetwork: "waiting to learn whether the network is metered"
        case .fleet: "waiting: the rules of a fleet let nothing run now"
        case .schedule: "waiting: the schedule in the settings lets nothing run now"
        }
    }

    /// The awaited condition, as the end of a sentence.
    package var wanted: String {
        switch self {
        case .cellular: "another network"
        case .expensive, .betterNetwork, .unknownNetwork: "an unmetered network"
        case .lowData: "the end of low data mode"
        case .externalPower: "external power"
        case .schedule: "the schedule"
        case .fleet: "the fleet"
        }
    }
}

/// Encoded as a list of names, which are more readable than a number.
extension TransferNeeds: Codable {
    private static let names: [(name: String, need: TransferNeeds)] = [
        ("noCellular", .noCellular), ("noExpensive", .noExpensive), ("noConstrained", .noConstrained),
        ("goodMoment", .goodMoment),
    ]

    /// The names of the needs, in a fixed order.
    package var names: [String] { Self.names.filter { contains($0.need) }.map(\.name) }

    package init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        var needs: TransferNeeds = []
        while !container.isAtEnd {
            let name = try container.decode(String.self)
            guard let known = Self.names.first(where: { $0.name == name }) else {
                throw DecodingError.dataCorruptedError(
                    in: container,
                    debugDescription: "there is no need of that name"
                )
            }
            needs.insert(known.need)
        }
        self = needs
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for name in names { try container.encode(name) }
    }
}
