// SPDX-License-Identifier: Apache-2.0

/// One process, whatever becomes of its number.
package struct ProcessIdentity: Sendable, Hashable, Codable {
    package var number: Int32
    /// When it was started, in the kernel's ticks since the boot: a later process with the number has another.
    package var startedAt: UInt64

    package init(number: Int32, startedAt: UInt64) {
        self.number = number
        self.startedAt = startedAt
    }
}

/// Bodies that a process's library spools are named after it: nobody else deletes what a process that was killed has
/// not handed over.
extension ProcessIdentity {
    /// No name of another file in that folder begins so. Numbers alone do not tell: a snapshot's name begins with a
    /// UUID, and one UUID in 280 has nothing but decimal digits before its second hyphen.
    private static let bodyPrefix = "body-"

    /// What the name of every body that the process spools begins with.
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
        // A sign or zeros in front: no name that was ever given.
        guard name.hasPrefix(spoolPrefix) else { return nil }
    }
}
