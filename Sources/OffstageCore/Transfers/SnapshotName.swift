// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// The names of snapshots: a unique identifier, a hyphen, and the file's own name.
package enum SnapshotName {
    /// The number of characters before the file's own name.
    package static let prefixLength = 37

    /// A snapshot's original file name; nil for a path that is not a snapshot's.
    package static func original(_ path: String) -> String? {
        let parts = path.pathParts
        guard parts.count >= 2, parts[parts.count - 2] == "snapshots", let last = parts.last,
            UUID(uuidString: String(last.prefix(prefixLength - 1))) != nil, last.count > prefixLength
        else { return nil }
        return String(last.dropFirst(prefixLength))
    }
}
