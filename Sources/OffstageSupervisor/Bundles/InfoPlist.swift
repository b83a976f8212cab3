// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageFiles

/// An `Info.plist`, XML or binary, with Apple's keys. Values of a wrong type count as missing, except for those that
/// identify its program.
struct InfoPlist: Decodable {
    var bundle: AppIdentity.Bundle
    var information: AppRegistration.Information

    private enum CodingKeys: String, CodingKey {
        case displayName = "CFBundleDisplayName"
        case name = "CFBundleName"
        case backgroundModes = "UIBackgroundModes"
        case permittedTaskIdentifiers = "BGTaskSchedulerPermittedIdentifiers"
    }

    init(from decoder: any Decoder) throws {
        bundle = try AppIdentity.Bundle(from: decoder)
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) -> String? {
            (try? values.decodeIfPresent(String.self, forKey: key)).flatMap { $0.isEmpty ? nil : $0 }
        }
        func list(_ key: CodingKeys) -> [String] { (try? values.decodeIfPresent([String].self, forKey: key)) ?? [] }
        information = AppRegistration.Information(
            name: text(.displayName) ?? text(.name),
            backgroundModes: list(.backgroundModes),
            permittedTaskIdentifiers: list(.permittedTaskIdentifiers)
        )
    }

    /// Reads an `Info.plist`. Nil if there is none, or if it is longer than 1 MiB, not a property list, or of a shape
    /// that is unsafe for a decoder.
    ///
    /// - Parameters:
    ///   - path: its path.
    ///   - speaker: the executable's owner, who may describe it, as may this user and the system. In a world-writable
    ///     folder any user could place an `Info.plist`. Nil for no additional user.
    /// - Returns: its contents.
    static func read(_ path: String, speaker: UInt32?) -> InfoPlist? {
        let trust = PathTrust.ofThisUser
        let found = SmallFile.read(path, limit: 1 << 20) { standing in
            (trust.trusts(owner: standing.owner) || standing.owner == speaker) && !standing.isWritableByOthers
        }
        guard let bytes = found, PropertyListShape.isHarmless(bytes) else { return nil }
        return try? PropertyListDecoder().decode(InfoPlist.self, from: Data(bytes))
    }
}
