// SPDX-License-Identifier: Apache-2.0

/// A member's identity in the fleet's database. It is kept in a file, so a restarted process can continue with the
/// lease of a killed one.
package struct MemberIdentity: Sendable, Equatable, Codable {
    /// The fleet's id, in its database's form.
    package var fleet: String
    /// The name, the labels and everything else that it joined with. If any of them changes, it must join again.
    package var joinedAs: String
    @Within<FleetMemberNumbers> package var member: Int32
    @Within<FleetMemberNumbers> package var incarnation: Int32
    /// Turns up to this number belong to this process. A later process begins above it, whatever this one did.
    @Within<FleetBeats> package var reservedBeat: Int64 = 0
    /// The last turn.
    @Within<FleetBeats> package private(set) var beat: Int64 = 0
    @Within<FleetLeaseLengths> package var leaseLength: Double
    /// The last recorded time until which the lease could be relied on; nil if it was in doubt.
    package var deadline: Deadline?

    /// Turns that are reserved with one write of the file.
    package static let reserve: Int64 = 1000

    package init(fleet: String, joinedAs: String, member: Int32, incarnation: Int32, leaseLength: Double) {
        self.fleet = fleet
        self.joinedAs = joinedAs
        self.leaseLength = leaseLength
        self.member = member
        self.incarnation = incarnation
    }

    private enum CodingKeys: String, CodingKey {
        case fleet, joinedAs, member, incarnation, reservedBeat, leaseLength, deadline
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func checked<Rule: ForeignValueRule>(_ key: CodingKeys, _ rule: Rule.Type) throws -> Rule.Value {
            try Rule.checked(container.decode(Rule.Value.self, forKey: key), from: decoder)
        }
        self.init(
            fleet: try container.decode(String.self, forKey: .fleet),
            joinedAs: try container.decode(String.self, forKey: .joinedAs),
            member: try checked(.member, FleetMemberNumbers.self),
            incarnation: try checked(.incarnation, FleetMemberNumbers.self),
            leaseLength: try checked(.leaseLength, FleetLeaseLengths.self)
        )
        reservedBeat = try checked(.reservedBeat, FleetBeats.self)
        beat = reservedBeat
        deadline = try container.decodeIfPresent(Deadline.self, forKey: .deadline)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(fleet, forKey: .fleet)
        try container.encode(joinedAs, forKey: .joinedAs)
        try container.encode(member, forKey: .member)
        try container.encode(incarnation, forKey: .incarnation)
        try container.encode(reservedBeat, forKey: .reservedBeat)
        try container.encode(leaseLength, forKey: .leaseLength)
        try container.encodeIfPresent(deadline, forKey: .deadline)
    }

    /// Takes the number of the next turn.
    ///
    /// - Returns: the number, and whether the file must be written before it is used.
    package mutating func nextBeat() -> (number: Int64, mustWrite: Bool) {
        beat = beat.addingClamped(1)
        guard beat > reservedBeat else { return (beat, false) }
        reservedBeat = beat.addingClamped(Self.reserve)
        return (beat, true)
    }
}
