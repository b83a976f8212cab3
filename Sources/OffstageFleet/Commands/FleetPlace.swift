// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
package import OffstageCommands
import OffstageCore
import OffstageFiles

/// The fleet for this user's commands: a file beside the settings, private because the address may hold a password.
package struct FleetPlace: Codable, Sendable, Equatable {
    /// The database's address, as it was given.
    package var database: String
    /// The fleet's id; nil until the database was asked.
    package var fleet: String?
    /// The fingerprint of the fleet's public key that this user was given.
    package var fingerprint: String?

    package init(database: String, fleet: String? = nil, fingerprint: String? = nil) {
        self.database = database
        self.fleet = fleet
        self.fingerprint = fingerprint
    }

    /// Bytes.
    private static let longest = 131_072

    /// Reads the file.
    ///
    /// - Returns: nil if there is none.
    /// - Throws: `CommandFailure` for a file that other users could have written or can read, or that is invalid.
    package static func read(_ path: String) throws(CommandFailure) -> FleetPlace? {
        let bytes: [UInt8]
        do throws(SmallFile.Trouble) {
            bytes = try SmallFile.contents(of: path, limit: longest) {
                $0.owner == geteuid() && $0.permissions & 0o077 == 0
            }
        } catch {
            switch error {
            case .system(ENOENT): return nil
            case .refused:
                throw CommandFailure(
                    "Other users may read or change \(path.redactedControls): make it private with 'chmod 600'."
                )
            default: throw CommandFailure("\(path.redactedControls) cannot be read: \(error.detail).")
            }
        }
        guard let place = try? ForeignJSON.decode(FleetPlace.self, from: bytes, values: 100) else {
            throw CommandFailure(
                "\(path.redactedControls) makes no sense: remove it, and say 'offstage fleet use URL' again."
            )
        }
        return place
    }

    /// Writes the file atomically.
    package func write(_ path: String) throws(CommandFailure) {
        do throws(PrivateFile.Trouble) {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            guard let text = try? encoder.encode(self) else { return }
            try PrivateFile.write(Array(text) + [10], to: path)
        } catch {
            throw CommandFailure("\(path.redactedControls) cannot be written: \(error.detail).")
        }
    }
}
