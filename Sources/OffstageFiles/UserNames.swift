// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Looks up names in the user database, which may use the network: call it when something is wrong, or for a single
/// check.
package enum UserNames {
    /// The size of one entry's buffer, in bytes; a group that needs more counts as having members.
    private static let longestEntry = 16_384

    /// `alice (user 1000)`, or `user 1000` without a name.
    package static func description(of user: UInt32) -> String {
        entry(of: user).map { "\($0.name) (user \(user))" } ?? "user \(user)"
    }

    /// `alice`; nil without a name.
    package static func name(of user: UInt32) -> String? { entry(of: user)?.name }

    /// Whether a group contains only one user and root: it is root's group, or the user's own group of the same name.
    static func isAlone(_ user: UInt32, inGroup group: UInt32) -> Bool {
        if group == 0 { return true }
        guard let own = entry(of: user), own.group == group, let found = members(of: group) else { return false }
        return found.name == own.name && found.members.allSatisfy { [own.name, "root"].contains($0) }
    }

    private static func entry(of user: UInt32) -> (name: String, group: UInt32)? {
        var value = passwd()
        var result: UnsafeMutablePointer<passwd>?
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: longestEntry) { space in
            guard let start = space.baseAddress, getpwuid_r(user, &value, start, space.count, &result) == 0,
                result != nil, let name = value.pw_name
            else { return nil }
            return (String(cString: name), value.pw_gid)
        }
    }

    private static func members(of group: UInt32) -> (name: String, members: [String])? {
        var value = Glibc.group()
        var result: UnsafeMutablePointer<Glibc.group>?
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: longestEntry) { space in
            guard let start = space.baseAddress, getgrgid_r(group, &value, start, space.count, &result) == 0,
                result != nil, let name = value.gr_name
            else { return nil }
            var members: [String] = []
            var next = value.gr_mem
            while let member = next?.pointee {
                members.append(String(cString: member))
                next = next?.advanced(by: 1)
            }
            return (String(cString: name), members)
        }
    }
}
