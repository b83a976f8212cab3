// SPDX-License-Identifier: Apache-2.0

/// Whether what lies at a path is this user's or the system's, so that nobody else can have put it there.
///
/// One look is enough for what is held by a descriptor from then on: another user can then change neither what it is nor
/// what is in it.
package struct PathTrust: Sendable {
    /// Whose trust.
    package let user: UInt32
    /// Who may do as he likes to this user anyway: root, and where root is not there (a sandbox), whose the root folder is.
    private let system: Set<UInt32>
    /// Whether nobody but this user and root is in a group: asked only of what the group may write.
    private let isOwnGroup: @Sendable (UInt32) -> Bool

    /// - Parameters:
    ///   - user: an effective user id.
    ///   - rootOwner: whose the folder `/` is.
    ///   - isOwnGroup: whether nobody but this user and root is in a group.
    package init(user: UInt32, rootOwner: UInt32 = 0, isOwnGroup: @escaping @Sendable (UInt32) -> Bool = { $0 == 0 }) {
        self.user = user
        system = [0, rootOwner]
        self.isOwnGroup = isOwnGroup
    }

    /// Whether an owner is this user or the system.
    package func trusts(owner: UInt32) -> Bool { owner == user || system.contains(owner) }

    /// What is wrong with one step of a path: a folder, a link on the way, or the file at its end. Nil for nothing.
    ///
    /// A folder that others may write is in order if it is sticky: what is in it, and belongs to this user or the system,
    /// nobody else can take away or replace. So every step of the path has to be asked for.
    package func doubt(_ step: FileStanding) -> PathDoubt? {
        guard step.kind != .other else { return .kind(path: step.path) }
        guard trusts(owner: step.owner) else { return .owner(path: step.path, owner: step.owner) }
        // The mode of a link says nothing.
        if step.kind == .link || (step.kind == .folder && step.isSticky) { return nil }
        if step.isWritableByOthers { return .writable(path: step.path, byEverybody: true) }
        if step.isWritableByGroup, !isOwnGroup(step.group) { return .writable(path: step.path, byEverybody: false) }
        return nil
    }

    /// The first folder of those on the way to a place that belongs to somebody else.
    package func foreign(in folders: [FileStanding]) -> FileStanding? { folders.first { !trusts(owner: $0.owner) } }

    /// Whether a folder is this user's own, and nobody else may write into it: what `XDG_RUNTIME_DIR` has to be.
    package func isOwn(_ folder: FileStanding) -> Bool {
        folder.kind == .folder && folder.owner == user && !folder.isWritableByGroup && !folder.isWritableByOthers
    }
}
