// SPDX-License-Identifier: Apache-2.0

/// Whether the file at a path belongs to this user or the system, and no other user can have placed it.
///
/// One check is enough for a file held by a descriptor from then on: another user can change neither its identity nor
/// its contents.
package struct PathTrust: Sendable {
    /// The user whose trust is determined.
    package let user: UInt32
    /// The user who has power over this user anyway: root, and in a sandbox without root the owner of the root folder.
    private let system: Set<UInt32>
    /// Whether a group contains no user except this one and root; called only for files that the group may write.
    private let isOwnGroup: @Sendable (UInt32) -> Bool

    /// - Parameters:
    ///   - user: an effective user id.
    ///   - rootOwner: the owner of the folder `/`.
    ///   - isOwnGroup: whether a group contains no user except this one and root.
    package init(user: UInt32, rootOwner: UInt32 = 0, isOwnGroup: @escaping @Sendable (UInt32) -> Bool = { $0 == 0 }) {
        self.user = user
        system = [0, rootOwner]
        self.isOwnGroup = isOwnGroup
    }

    /// Whether an owner is this user or the system.
    package func trusts(owner: UInt32) -> Bool { owner == user || system.contains(owner) }

    /// The doubt about one step of a path: a folder, a link on the way, or the file at its end. Nil for none.
    ///
    /// A folder that others may write is acceptable if it is sticky: no other user can remove or replace files in it
    /// that belong to this user or the system. So every step of the path must be checked.
    package func doubt(_ step: FileStanding) -> PathDoubt? {
        guard step.kind != .other else { return .kind(path: step.path) }
        guard trusts(owner: step.owner) else { return .owner(path: step.path, owner: step.owner) }
        // The mode of a link has no meaning.
        if step.kind == .link || (step.kind == .folder && step.isSticky) { return nil }
        if step.isWritableByOthers { return .writable(path: step.path, byEverybody: true) }
        if step.isWritableByGroup, !isOwnGroup(step.group) { return .writable(path: step.path, byEverybody: false) }
        return nil
    }

    /// The first folder on the way to a path that belongs to another user.
    package func foreign(in folders: [FileStanding]) -> FileStanding? { folders.first { !trusts(owner: $0.owner) } }

    /// Whether a folder belongs to this user and no other user may write in it, as required of `XDG_RUNTIME_DIR`.
    package func isOwn(_ folder: FileStanding) -> Bool {
        folder.kind == .folder && folder.owner == user && !folder.isWritableByGroup && !folder.isWritableByOthers
    }
}
