// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Queries a fleet on a separate thread, so the view responds to keys and signals while the database does not answer.
///
/// Belongs to one thread.
final class FleetLooks {
    private struct Lent: @unchecked Sendable {
        // Only the querying thread uses it, until it is returned with the answer.
        let database: DatabaseClient
    }

    /// The most rows under way to request.
    private static let mostRows = 200

    private let address: DatabaseAddress
    private let threads = SideThreads()
    private var lent: Lent?
    private var answer: Result<FleetView.Look, DatabaseError>?
    /// When the current query began, in seconds on the boot-time clock; nil if none is under way.
    private(set) var askedAt: Double?

    init(_ address: DatabaseAddress) { self.address = address }

    /// Becomes readable once there is an answer.
    var descriptor: Int32 { threads.descriptor }

    /// Starts a query. Connects first if necessary.
    func ask() {
        askedAt = MemberClock.seconds
        let (address, lent) = (address, lent)
        self.lent = nil
        threads.run({ Self.look(address, lent) }) { [weak self] in self?.receive($0) }
    }

    /// Returns the answer, once; nil while there is none.
    func takeAnswer() -> Result<FleetView.Look, DatabaseError>? {
        threads.deliver()
        defer { answer = nil }
        return answer
    }

    private func receive(_ result: Result<(Lent, FleetView.Look), DatabaseError>?) {
        askedAt = nil
        switch result ?? .failure(DatabaseError(.connection, "the system allows no more threads")) {
        case .success((let lent, let look)):
            self.lent = lent
            answer = .success(look)
        case .failure(let error): answer = .failure(error)
        }
    }

    private static func look(
        _ address: DatabaseAddress,
        _ lent: Lent?
    ) -> Result<(Lent, FleetView.Look), DatabaseError> {
        do throws(DatabaseError) {
            let database = if let lent { lent.database } else { try DatabaseClient(address) }
            let look = FleetView.Look(
                counts: try database.totals(),
                members: try ListedMember.all(database),
                rows: try database.rows(before: nil, states: [.leased], most: mostRows)
            )
            return .success((Lent(database: database), look))
        } catch {
            return .failure(error)
        }
    }
}
