// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

/// Which file is accepted as a partial file of ours, and the access that a whole one gets.
@Suite struct FileAccessTests {
    private func file(
        owner: UInt32 = 1000,
        group: UInt32 = 1000,
        _ permissions: UInt32 = 0o600,
        links: UInt64 = 1,
        isRegular: Bool = true
    ) -> FileAccess {
        FileAccess(owner: owner, group: group, permissions: permissions, links: links, isRegular: isRegular)
    }

    private func isOurs(_ file: FileAccess, user: UInt32 = 1000, known: Bool = false, shared: Bool = false) -> Bool {
        file.isOursAlone(user: user, isKnown: known, isFolderShared: shared)
    }

    @Test func `a file with one name that is closed to all but its owner is ours`() {
        #expect(isOurs(file()))
        #expect(isOurs(file(), known: true, shared: true))
    }

    @Test func `what somebody else made, may write or has linked is not`() {
        #expect(!isOurs(file(owner: 1001)))
        #expect(!isOurs(file(owner: 0)))
        #expect(!isOurs(file(owner: 1000), user: 0))
        #expect(!isOurs(file(0o620)))
        #expect(!isOurs(file(0o602)))
        #expect(!isOurs(file(links: 2)))
        #expect(!isOurs(file(isRegular: false)))
    }

    /// Another file of ours, which another user has moved there, and may have opened before.
    @Test func `what somebody else may have moved there, or may read, is not ours unless we know it`() {
        #expect(!isOurs(file(), shared: true))
        #expect(!isOurs(file(0o644)))
        #expect(!isOurs(file(0o640)))
        #expect(isOurs(file(0o644), known: true, shared: true))
    }

    @Test func `a second name of a file that we know is no matter, and another's right to write is`() {
        #expect(isOurs(file(links: 2), known: true))
        #expect(!isOurs(file(0o666, links: 2), known: true))
        #expect(!isOurs(file(owner: 1001), known: true))
    }

    private func grant(
        _ replaced: FileAccess?,
        user: UInt32 = 1000,
        own: FileAccess? = nil,
        shared: Bool = false,
        umask: UInt32 = 0o022
    ) -> FileAccess.Grant {
        FileAccess.grant(
            replacing: replaced,
            own: own ?? file(owner: user),
            user: user,
            isFolderShared: shared,
            umask: umask
        )
    }

    @Test(arguments: [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664), (0, 0o666)] as [(UInt32, UInt32)])
    func `a new file gets what the umask leaves`(umask: UInt32, permissions: UInt32) {
        #expect(grant(nil, umask: umask) == .init(permissions: permissions))
        #expect(grant(file(0o777, isRegular: false), umask: umask) == .init(permissions: permissions))
    }

    @Test func `what replaces our own file keeps its permissions and group`() {
        #expect(grant(file(0o600)) == .init(permissions: 0o600))
        #expect(grant(file(0o755)) == .init(permissions: 0o755))
        #expect(grant(file(group: 50, 0o664)) == .init(permissions: 0o664, group: 50))
    }

    @Test func `another's file lends no right that a new file would not have`() {
        #expect(grant(file(owner: 1001, 0o666)) == .init(permissions: 0o644))
        #expect(grant(file(owner: 1001, 0o600)) == .init(permissions: 0o600))
        #expect(grant(file(owner: 1001, 0)) == .init(permissions: 0o600))
    }

    /// Anyone who may write to a file can give it a second name in a folder that is open to all.
    @Test func `a file with a second name lends no right to write that a new file would not have`() {
        #expect(grant(file(0o666, links: 2)) == .init(permissions: 0o644))
        #expect(grant(file(group: 50, 0o775, links: 2)) == .init(permissions: 0o755))
        #expect(grant(file(0o600, links: 2)) == .init(permissions: 0o600))
        #expect(grant(file(owner: 0, 0o666, links: 2), user: 0) == .init(permissions: 0o644))
    }

    @Test func `root keeps the owner, but not in a folder where anybody may put a file first`() {
        #expect(grant(file(0o640), user: 0) == .init(permissions: 0o640, owner: 1000))
        #expect(grant(file(0o666), user: 0, shared: true) == .init(permissions: 0o644))
        #expect(grant(file(owner: 0, 0o600), user: 0, shared: true) == .init(permissions: 0o600))
    }
}
