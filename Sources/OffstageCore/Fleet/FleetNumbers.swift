// SPDX-License-Identifier: Apache-2.0

/// Numbers of rows in a fleet's database. Anyone who can write to the database may put any number there.
package enum FleetRowNumbers: ForeignValueRule {
    package static let range: ClosedRange<Int64> = 1...(1 << 60)
    package static let noun = "the number of a row"
}

/// How often a row has been leased; the next number is valid, too.
package enum FleetFences: ForeignValueRule {
    package static let range: ClosedRange<Int32> = 0...(1 << 30)
    package static let noun = "a fence"
}

/// Seconds that a member may be silent.
package enum FleetLeaseLengths: ForeignValueRule {
    package static let range = 1.0...3600.0
    package static let noun = "the length of a lease"
}

/// Numbers of members, and how often a member has joined or was fenced.
package enum FleetMemberNumbers: ForeignValueRule {
    package static let range: ClosedRange<Int32> = 1...(1 << 30)
    package static let noun = "the number of a member"
}

/// Turns of a member.
package enum FleetBeats: ForeignValueRule {
    package static let range: ClosedRange<Int64> = 0...(1 << 60)
    package static let noun = "a number of turns"
}

/// Versions of rules.
package enum FleetPolicyVersions: ForeignValueRule {
    package static let range: ClosedRange<Int64> = 0...(1 << 60)
    package static let noun = "the version of rules"
}
