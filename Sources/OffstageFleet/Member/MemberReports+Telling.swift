// SPDX-License-Identifier: Apache-2.0
import OffstageCore

extension MemberReports {
    /// Sends a report, and parses the answer as the rows for which it was accepted.
    ///
    /// - Parameters:
    ///   - kind: the kind of report.
    ///   - text: the statement.
    ///   - values: its values after the two that name the member.
    ///   - identity: the member's identity.
    ///   - then: receives the rows; nil if the database refuses the report's contents, which makes a retry useless.
    func send(
        _ kind: Kind,
        _ text: StaticString,
        _ values: [String?],
        _ identity: MemberIdentity,
        then: @escaping (Set<Int64>?) -> Void
    ) {
        setBusy(kind, true)
        database.ask(text, ["\(identity.member)", "\(identity.incarnation)"] + values) { [weak self] result in
            guard let self, hear(identity, result) else { return }
            setBusy(kind, false)
            switch result {
            case .success(let records):
                taken(kind)
                then(Set(records.compactMap { $0.number("id", FleetRowNumbers.self) }))
            case .failure(let error):
                switch error.kind {
                case _ where error.isOfValues: then(nil)
                // It is sent again on the next connection, or no longer belongs to a row.
                case .connection, .fenced: break
                case .address, .another, .version, .rights, .contention, .trouble, .refused: wait(MemberClock.seconds)
                }
            }
        }
    }
}
