// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The member's side of sealing: opens the sealed values of rows, and seals their memory. Belongs to the loop's thread.
final class MemberSeals {
    private let opener: FleetOpener
    private let fleet: String
    private var sealer: FleetSealer?

    /// - Parameters:
    ///   - key: the fleet's key.
    ///   - fleet: the fleet's id.
    init(_ key: FleetKey, fleet: String) {
        opener = FleetOpener(key, fleet: fleet)
        self.fleet = fleet
    }

    /// The specification of a row, with its secrets.
    ///
    /// - Throws: `SealError`, and any error of `FleetSpec.joined`.
    func specification(of row: HeldRow) throws -> TransferSpec {
        let secrets = try row.sealed.map { try opener.open($0, SealSubject(.secrets, of: row.spec)) }
        return try FleetSpec(open: row.spec, secrets: secrets).joined()
    }

    /// The memory of the row's dialect from another member; nil if there is none, or if it cannot be opened, in which
    /// case the dialect starts over.
    ///
    /// - Throws: `SealError` for a memory that does not belong to this row.
    func memory(of row: HeldRow) throws(SealError) -> [UInt8]? {
        guard let memory = row.memory else { return nil }
        return try opener.open(memory, SealSubject(.memory(row: row.grant.row), of: row.spec))
    }

    /// Seals a memory for its row.
    ///
    /// - Throws: `SealError`.
    func seal(_ memory: [UInt8], of row: HeldRow) throws(SealError) -> [UInt8] {
        let subject = SealSubject(.memory(row: row.grant.row), of: row.spec)
        if let sealer {
            do throws(SealError) {
                return try sealer.seal(memory, subject)
            } catch {
                guard error == .exhausted else { throw error }
            }
        }
        let fresh = try FleetSealer(to: opener.key.publicKey, fleet: fleet)
        sealer = fresh
        return try fresh.seal(memory, subject)
    }
}
