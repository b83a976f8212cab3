// SPDX-License-Identifier: Apache-2.0
import OffstageCore

extension MemberIdentity {
    /// Parses the answer of `join_fleet`.
    ///
    /// - Throws: `MemberError` if the answer is from another fleet's database, or is invalid.
    init(_ answer: [FleetRecord], _ settings: MemberSettings) throws(MemberError) {
        guard let record = answer.first, record.raw("fleet") == settings.fleet else {
            throw MemberError("The database is another fleet's: join again if it has been replaced.")
        }
        guard let member = record.number("member", FleetMemberNumbers.self),
            let incarnation = record.number("incarnation", FleetMemberNumbers.self),
            let length = record.number("lease_seconds", Counts.self).map(Double.init),
            FleetLeaseLengths.range.contains(length)
        else { throw MemberError("What the database says of this member cannot be read.") }
        self.init(
            fleet: settings.fleet,
            joinedAs: settings.joinedAs,
            member: member,
            incarnation: incarnation,
            leaseLength: length
        )
    }
}
