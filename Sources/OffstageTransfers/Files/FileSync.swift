// SPDX-License-Identifier: Apache-2.0
import Glibc

/// How received data gets onto the disk. Tests substitute a failing disk.
package struct FileSync: Sendable {
    /// How much of a file a sync makes durable.
    package enum Extent: Sendable {
        /// The bytes of a file that is still being received.
        case content
        /// Everything of a file that is complete.
        case all
    }

    /// How far a download may be ahead of its last sync, in bytes.
    package var interval: Int64 = 64 << 20
    /// Syncs the file of a descriptor. Blocking.
    ///
    /// - Returns: the errno; nil on success.
    package var run: @Sendable (_ descriptor: Int32, Extent) -> Int32? = { descriptor, extent in
        let result =
            switch extent {
            case .content: fdatasync(descriptor)
            case .all: fsync(descriptor)
            }
        return result == 0 ? nil : errno
    }

    package init() {}
}
