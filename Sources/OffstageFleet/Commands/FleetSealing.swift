// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import OffstageCore

/// Seals the secrets of the rows of one command, once the first has some.
final class FleetSealing {
    private var sealer: FleetSealer?

    /// - Parameters:
    ///   - spec: a parted specification.
    ///   - place: with the fingerprint that this user was told.
    ///   - database: tells the fleet's id and key.
    /// - Returns: what was sealed; nil if there is nothing secret.
    /// - Throws: `CommandFailure` if there is no key that this user trusts, or sealing fails.
    func seal(
        _ spec: FleetSpec,
        _ place: FleetPlace,
        _ database: () throws -> DatabaseClient
    ) throws -> [UInt8]? {
        guard let secrets = spec.secrets else { return nil }
        do {
            if sealer == nil {
                let identity = try FleetIdentity(try database())
                sealer = try FleetSealer(to: identity.key(trustedBy: place), fleet: identity.id)
            }
            return try sealer?.seal(secrets, SealSubject(.secrets, of: spec.open))
        } catch let error as SealError {
            throw CommandFailure(error.sentence)
        }
    }
}
