// SPDX-License-Identifier: Apache-2.0

/// The version of this build: three numbers, compared numerically (semver.org).
package struct OffstageVersion: Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
    package var major: Int
    package var minor: Int
    package var patch: Int

    package static let current = OffstageVersion(major: 0, minor: 1, patch: 0)

    package init(major: Int, minor: Int, patch: Int) {
        self.major = major
        self.minor = minor
        self.patch = patch
    }

    /// Parses the text of `description`; nil for any other text.
    package init?(parsing text: some StringProtocol) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 3, let major = parts[0], let minor = parts[1], let patch = parts[2] else { return nil }
        self.init(major: major, minor: minor, patch: patch)
    }

    package static func < (left: OffstageVersion, right: OffstageVersion) -> Bool {
        (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }

    package var description: String { "\(major).\(minor).\(patch)" }
}
