// SPDX-License-Identifier: Apache-2.0
import OffstageCore

extension MemberReports {
    /// Asks, and takes the answer as the rows for which the report was accepted.
    ///
    /// - Parameters:
    ///   - kind: what is told.
    ///   - text: the statement.
    ///   - values: its values after the two that name the member.
    ///   - identity: who the member is.
    ///   - then: receives the rows; nil if the database refuses what is in the report, which asking again would not change.
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
                // It is told again over the next connection, or belongs to nobody any more.
                case .connection, .fenced: break
                case .address, .another, .version, .rights, .contention, .trouble, .refused: wait(MemberClock.seconds)
                }
            }
        }
    }
}
