// SPDX-License-Identifier: Apache-2.0

/// The kernel's information about a file or folder, as far as trust depends on it.
package struct FileStanding: Sendable, Equatable {
    package enum Kind: Sendable, Equatable { case folder, file, link, other }

    /// Absolute.
    package var path: String
    package var kind: Kind
    package var owner: UInt32
    package var group: UInt32
    /// The last twelve bits of its mode.
    package var permissions: UInt32

    package init(path: String, kind: Kind, owner: UInt32, group: UInt32 = 0, permissions: UInt32) {
        self.path = path
        self.kind = kind
        self.owner = owner
        self.group = group
        self.permissions = permissions
    }

    /// Whether only their owners may remove or rename files in this folder.
    package var isSticky: Bool { permissions & 0o1000 != 0 }
    package var isWritableByGroup: Bool { permissions & 0o020 != 0 }
    package var isWritableByOthers: Bool { permissions & 0o002 != 0 }
}
