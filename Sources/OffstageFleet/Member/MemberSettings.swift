// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
package import OffstageCore
import OffstageFiles
import OffstageProtocol

/// A machine's role in its fleet: `fleet-member.json`, beside the daemon's settings. `join` writes it; people may edit
/// it.
package struct MemberSettings: Sendable, Equatable, Codable {
    /// The address of the database, which may contain a password.
    package var database: String
    /// The fleet's id. Another fleet's database at the same address is not trusted.
    package var fleet: String
    package var name: String
    package var labels: [String] = []
    /// The file of the fleet's key.
    package var key: String
    /// Folders whose files may be sent for the fleet.
    package var shares: [String] = []
    /// Accounts that may be used for the fleet: names, and paths of Google's key files.
    package var accounts: [String] = []
    /// The number of rows carried out at a time.
    package var rows = 8
    /// Whether the machine takes no rows, and only shows the outcomes of its own transfers.
    package var isDevice = false
    /// Whether a device shows outcomes and conditions to the users of the fleet's database.
    package var shows = false
    /// Whether the database notifies the member of new rows. A pooler in transaction mode cannot.
    package var listens = true

    package static let largestRows = 1000
    private static let mostPlaces = 100
    /// The most bytes of the file.
    private static let longest = 1 << 20

    package init(database: String, fleet: String, name: String, key: String) {
        self.database = database
        self.fleet = fleet
        self.name = name
        self.key = key
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case database, fleet, name, labels, key, shares, accounts, rows, device, shows, listens
    }

    package init(from decoder: any Decoder) throws {
        try decoder.refuseUnknownKeys(CodingKeys.self, of: "fleet-member.json")
        let container = try decoder.container(keyedBy: CodingKeys.self)
        database = try container.decode(String.self, forKey: .database)
        fleet = try container.decode(String.self, forKey: .fleet)
        name = try container.decode(String.self, forKey: .name)
        labels = try container.decodeIfPresent([String].self, forKey: .labels) ?? []
        key = try container.decode(String.self, forKey: .key)
        shares = try container.decodeIfPresent([String].self, forKey: .shares) ?? []
        accounts = try container.decodeIfPresent([String].self, forKey: .accounts) ?? []
        rows = try container.decodeIfPresent(Int.self, forKey: .rows) ?? 8
        isDevice = try container.decodeIfPresent(Bool.self, forKey: .device) ?? false
        shows = try container.decodeIfPresent(Bool.self, forKey: .shows) ?? false
        listens = try container.decodeIfPresent(Bool.self, forKey: .listens) ?? true
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(database, forKey: .database)
        try container.encode(fleet, forKey: .fleet)
        try container.encode(name, forKey: .name)
        try container.encode(labels, forKey: .labels)
        try container.encode(key, forKey: .key)
        try container.encode(shares, forKey: .shares)
        try container.encode(accounts, forKey: .accounts)
        try container.encode(rows, forKey: .rows)
        if isDevice { try container.encode(true, forKey: .device) }
        if shows { try container.encode(true, forKey: .shows) }
        if !listens { try container.encode(false, forKey: .listens) }
    }

    /// Refuses values that no fleet accepts.
    package func validate() throws(MemberError) {
        func check(_ holds: Bool, _ sentence: String) throws(MemberError) {
            if !holds { throw MemberError(sentence) }
        }
        try check(FleetText.isName(name), "A member's name has 1 to 63 letters, digits, dots, hyphens and underscores.")
        try check(FleetText.isName(fleet), "The fleet's id cannot be read: join the fleet again.")
        try check(
            fleetLabels != nil,
            "A label is written as NAME=VALUE; a member has \(FleetLabels.mostOfMember - 1) at most."
        )
        try check(
            (1...Self.largestRows).contains(rows),  // checked: constants
            "A member carries out 1 to \(Self.largestRows) rows at a time."
        )
        try check(key.hasPrefix("/"), "The path of the fleet's key must be absolute.")
        try check(
            shares.count <= Self.mostPlaces && accounts.count <= Self.mostPlaces,
            "A member shares 100 folders at most."
        )
        for folder in shares {
            try check(
                folder.hasPrefix("/") && !folder.utf8.contains(0),
                "The path of a shared folder must be absolute, unlike '\(folder.redactedControls)'."
            )
        }
        do throws(DatabaseError) {
            _ = try DatabaseAddress(database)
        } catch {
            throw MemberError("\(error).")
        }
    }

    /// The labels without `member=NAME`, which the database adds; nil if one is invalid.
    package var fleetLabels: FleetLabels? { FleetLabels(labels, most: Self.mostLabels) }

    private static let mostLabels = FleetLabels.mostOfMember - 1  // checked: a constant

    /// The values that the database stores about the member. If they change, the member must join again.
    package var joinedAs: String { "\(name) \(isDevice ? 1 : 0) \(labels.sorted().joined(separator: " "))" }

    /// The arguments of `join_fleet`.
    package var joining: [String?] {
        let labels = fleetLabels ?? .none
        let version = OffstageVersion.current.description
        return [name, labels.array, isDevice ? "1" : "0", "\(MemberSettings.protocolVersion)", version]
    }

    /// The version of the functions that this member calls, which is compared with `fleet.least_protocol`.
    package static let protocolVersion = 1

    /// The resources that the member shares, with the existing folders and resolved links.
    package func trust() -> FleetTrust {
        FleetTrust(folders: shares.compactMap(Self.resolved), accounts: Set(accounts))
    }

    /// A path with resolved links; nil if it does not exist.
    static func resolved(_ path: String) -> String? {
        guard let text = realpath(path, nil) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }

    // MARK: - The file

    /// Reads the file.
    ///
    /// - Throws: `MemberError` if there is none, if another user could have written it, or if it is invalid.
    package static func read(_ path: String) throws(MemberError) -> MemberSettings {
        let bytes: [UInt8]
        do throws(SmallFile.Trouble) {
            let user = geteuid()
            bytes = try SmallFile.contents(of: path, limit: longest) { $0.owner == user && $0.permissions & 0o077 == 0 }
        } catch {
            if error == .system(ENOENT) {
                throw MemberError("This machine is no member of a fleet: see 'offstage fleet join --help'.")
            }
            let detail = error == .refused ? "only this user may have access: give it mode 0600" : error.detail
            throw MemberError("The settings \(path) cannot be used: \(detail).")
        }
        let settings: MemberSettings
        do {
            settings = try ForeignJSON.decode(MemberSettings.self, from: bytes, values: 2000)
        } catch {
            let detail =
                if case DecodingError.dataCorrupted(let context) = error { context.debugDescription } else {
                    "it is no such file"
                }
            throw MemberError("The settings \(path) cannot be used: \(detail).")
        }
        try settings.validate()
        return settings
    }

    /// Writes the file, durably before this returns, readable only by this user.
    ///
    /// - Throws: `MemberError`.
    package func write(to path: String) throws(MemberError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(self) else { throw MemberError("The settings cannot be written.") }
        try MemberFile.write(Array(json) + [UInt8(ascii: "\n")], to: path, isDurable: true)
    }
}
