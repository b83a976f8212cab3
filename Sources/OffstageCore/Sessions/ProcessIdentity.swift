// SPDX-License-Identifier: Apache-2.0

/// One process, distinct from any later process with its number.
package struct ProcessIdentity: Sendable, Hashable, Codable {
    package var number: Int32
    /// Its start, in the kernel's ticks since the boot: different for a later process with the same number.
    package var startedAt: UInt64

    package init(number: Int32, startedAt: UInt64) {
        self.number = number
        self.startedAt = startedAt
    }
}

/// The bodies that a process's library spools are named after the process. This way, bodies that a killed process did
/// not hand over can be found.
extension ProcessIdentity {
    /// No other file in that folder has such a name. Numbers alone would not suffice: a snapshot's name begins with a
    /// UUID, and one UUID in 280 has only decimal digits before its second hyphen.
    private static let bodyPrefix = "body-"

    /// The beginning of the name of every body that the process spools.
    package var spoolPrefix: String { "\(Self.bodyPrefix)\(number)-\(startedAt)-" }

    /// The process that spooled the body with this name; nil for any other file.
    package init?(spooledBody name: String) {
        guard name.hasPrefix(Self.bodyPrefix) else { return nil }
        let parts = name.dropFirst(Self.bodyPrefix.count)
            .split(separator: "-", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[2].isEmpty, let number = Int32(parts[0]), let startedAt = UInt64(parts[1]),
            number > 0
        else { return nil }
        self.init(number: number, startedAt: startedAt)
        // A name with a sign or leading zeros was never assigned.
        guard name.hasPrefix(spoolPrefix) else { return nil }
    }
}
