// SPDX-License-Identifier: Apache-2.0

/// Owner and permissions of a file, from `fstat`: decides whether a partial file is trusted, and which owner and
/// permissions its target gets.
package struct FileAccess: Sendable, Equatable {
    /// The owner's user id.
    package var owner: UInt32
    package var group: UInt32
    /// The lowest nine bits of the mode.
    package var permissions: UInt32
    /// The number of hard links.
    package var links: UInt64
    package var isRegular: Bool

    package init(owner: UInt32, group: UInt32, permissions: UInt32, links: UInt64, isRegular: Bool) {
        self.owner = owner
        self.group = group
        self.permissions = permissions
        self.links = links
        self.isRegular = isRegular
    }

    /// Whether only we can have written the file at our partial file's path, and only we can read that file.
    ///
    /// A user who may rename files in the folder can give any of our files that name, and may have opened it before. In
    /// such a folder, only a file on record is accepted.
    ///
    /// - Parameters:
    ///   - user: our effective user id.
    ///   - isKnown: whether device and inode show that we made the file ourselves, in which case a second name does not
    ///     matter.
    ///   - isFolderShared: whether others may rename files in its folder.
    /// - Returns: whether the download may continue with it.
    package func isOursAlone(user: UInt32, isKnown: Bool, isFolderShared: Bool) -> Bool {
        guard isRegular, owner == user, permissions & Self.writableByOthers == 0 else { return false }
        return isKnown || links == 1 && permissions & Self.openToOthers == 0 && !isFolderShared
    }

    /// The permissions and the owner that a downloaded file gets.
    package struct Grant: Sendable, Equatable {
        package var permissions: UInt32
        /// The owner and group to set; nil to keep the file's own.
        package var owner: UInt32?
        package var group: UInt32?

        package init(permissions: UInt32, owner: UInt32? = nil, group: UInt32? = nil) {
            self.permissions = permissions
            self.owner = owner
            self.group = group
        }
    }

    /// Decides which permissions and owner a complete file gets together with its name.
    ///
    /// A file that it replaces passes on its permissions and group, and for root also its owner. If that file belongs
    /// to another user, the new one gets no more than any new file would: otherwise a user who first puts an open file
    /// there could change the download. The same holds for a file with a second name, which any user who may write to
    /// it can create here.
    /// - Parameters:
    ///   - replaced: the regular file that has the name now; nil if there is none, or for a symbolic link.
    ///   - own: the file itself.
    ///   - user: our effective user id.
    ///   - isFolderShared: whether users other than root and the owner of `replaced` may put files into the folder.
    ///   - umask: the permissions that a new file does not get.
    /// - Returns: the permissions and owner to set.
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

    /// Write permission of group and others.
    package static let writableByOthers: UInt32 = 0o022
    /// Any permission of group and others.
    private static let openToOthers: UInt32 = 0o077
}
