// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import OffstageCore

/// Seals the secrets of one command's rows. The sealer is created for the first row with secrets.
final class FleetSealing {
    private var sealer: FleetSealer?

    /// - Parameters:
    ///   - spec: a specification with its secrets separated.
    ///   - place: has the fingerprint that this user was given.
    ///   - database: provides the fleet's id and key.
    /// - Returns: the sealed secrets; nil if there are none.
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
