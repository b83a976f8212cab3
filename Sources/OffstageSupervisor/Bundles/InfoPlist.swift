// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// An `Info.plist`, XML or binary, in Apple's keys. What is of the wrong kind counts as not there, but for those that
/// say whose it is.
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

    /// Reads one; nil when there is none, it is longer than 1 MiB, or it is no property list.
    static func read(_ path: String) -> InfoPlist? {
        guard let bytes = SmallFile.read(path, limit: 1 << 20) else { return nil }
        return try? PropertyListDecoder().decode(InfoPlist.self, from: Data(bytes))
    }
}
