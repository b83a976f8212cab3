// SPDX-License-Identifier: Apache-2.0

/// Whose a file is and who may change it, as `fstat` tells: what a partial file is trusted for, and what its target gets.
package struct FileAccess: Sendable, Equatable {
    /// The owner's user id.
    package var owner: UInt32
    package var group: UInt32
    /// The lowest nine bits of the mode.
    package var permissions: UInt32
    /// How many names the file has.
    package var links: UInt64
    package var isRegular: Bool

    package init(owner: UInt32, group: UInt32, permissions: UInt32, links: UInt64, isRegular: Bool) {
        self.owner = owner
        self.group = group
        self.permissions = permissions
        self.links = links
        self.isRegular = isRegular
    }

    /// Whether a file that lies where our partial file should be can only have been written by us.
    ///
    /// - Parameters:
    ///   - user: our effective user id.
    ///   - isKnown: whether it is, by device and inode, a file that we made ourselves: a second name is no matter then.
    /// - Returns: whether it can be gone on with.
    package func isOursAlone(user: UInt32, isKnown: Bool = false) -> Bool {
        isRegular && owner == user && permissions & Self.writableByOthers == 0 && (isKnown || links == 1)
    }

    /// What a downloaded file gets.
    package struct Grant: Sendable, Equatable {
        package var permissions: UInt32
        /// An owner and a group to be set; nil for those that the file has already.
        package var owner: UInt32?
        package var group: UInt32?

        package init(permissions: UInt32, owner: UInt32? = nil, group: UInt32? = nil) {
            self.permissions = permissions
            self.owner = owner
            self.group = group
        }
    }

    /// Decides what a whole file gets with its name.
    ///
    /// The file that it replaces lends its permissions and its group to it, and to root's also its owner. Of somebody
    /// else's file it takes over no more than a new file would have: otherwise whoever puts an open file there first
    /// could change what arrives. Nor of one with a second name, which anybody who may write to it can make here.
    ///
    /// - Parameters:
    ///   - replaced: the regular file that has the name now; nil for none, or for a symbolic link.
    ///   - own: the file itself.
    ///   - user: our effective user id.
    ///   - isFolderShared: whether others than root and the owner of `replaced` may put files into the folder.
    ///   - umask: what a new file's permissions are without.
    /// - Returns: what is to be set.
    package static func grant(
        replacing replaced: FileAccess?,
        own: FileAccess,
        user: UInt32,
        isFolderShared: Bool,
        umask: UInt32
    ) -> Grant {
        let usual = 0o666 & ~umask
        guard let replaced, replaced.isRegular else { return Grant(permissions: usual) }
        guard replaced.owner == user || user == 0 && !isFolderShared else {
            return Grant(permissions: replaced.permissions & usual | 0o600)
        }
        guard replaced.links == 1 else { return Grant(permissions: replaced.permissions & (usual | 0o111) | 0o600) }
        return Grant(
            permissions: replaced.permissions & 0o777,
            owner: replaced.owner == own.owner ? nil : replaced.owner,
            group: replaced.group == own.group ? nil : replaced.group
        )
    }

    /// Group and others.
    package static let writableByOthers: UInt32 = 0o022
}
