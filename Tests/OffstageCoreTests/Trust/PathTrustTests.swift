// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct PathTrustTests {
    private let trust = PathTrust(user: 1000) { [0, 1000].contains($0) }

    private func step(
        _ kind: FileStanding.Kind,
        _ owner: UInt32,
        _ permissions: UInt32,
        group: UInt32 = 1000
    ) -> FileStanding {
        FileStanding(path: "/p", kind: kind, owner: owner, group: group, permissions: permissions)
    }

    @Test func `what this user or root owns, and nobody else may write, is trusted`() {
        for owner: UInt32 in [0, 1000] {
            for kind: FileStanding.Kind in [.file, .folder] {
                #expect(trust.doubt(step(kind, owner, 0o755)) == nil)
                #expect(trust.doubt(step(kind, owner, 0o4755)) == nil)
            }
            #expect(trust.doubt(step(.link, owner, 0o777)) == nil)
        }
    }

    @Test(arguments: [.file, .folder, .link] as [FileStanding.Kind])
    func `what another user owns is not`(kind: FileStanding.Kind) {
        #expect(trust.doubt(step(kind, 1001, 0o700)) == .owner(path: "/p", owner: 1001))
        #expect(trust.doubt(step(kind, 1001, 0o1777)) == .owner(path: "/p", owner: 1001))
    }

    @Test func `a folder that others may write is trusted if it is sticky`() {
        #expect(trust.doubt(step(.folder, 0, 0o1777)) == nil)
        #expect(trust.doubt(step(.folder, 0, 0o777)) == .writable(path: "/p", byEverybody: true))
        #expect(trust.doubt(step(.folder, 1000, 0o702)) == .writable(path: "/p", byEverybody: true))
    }

    @Test func `a sticky bit does not make up for a file's mode`() {
        #expect(trust.doubt(step(.file, 1000, 0o1777)) == .writable(path: "/p", byEverybody: true))
    }

    @Test func `a group may write if nobody else is in it`() {
        #expect(trust.doubt(step(.folder, 1000, 0o775)) == nil)
        #expect(trust.doubt(step(.file, 1000, 0o775, group: 50)) == .writable(path: "/p", byEverybody: false))
        #expect(trust.doubt(step(.folder, 1000, 0o1775, group: 50)) == nil)
    }

    @Test func `pipes, devices and sockets are on no way to an app`() {
        #expect(trust.doubt(step(.other, 1000, 0o600)) == .kind(path: "/p"))
    }

    @Test func `where root is not to be seen, whoever has the root folder counts as root`() {
        let boxed = PathTrust(user: 1000, rootOwner: 65534)
        #expect(boxed.trusts(owner: 65534))
        #expect(boxed.doubt(step(.folder, 65534, 0o755)) == nil)
        #expect(!trust.trusts(owner: 65534))
    }

    @Test func `a folder is one's own that belongs to nobody else and nobody else may write`() {
        #expect(trust.isOwn(step(.folder, 1000, 0o755)))
        #expect(!trust.isOwn(step(.folder, 0, 0o700)))
        #expect(!trust.isOwn(step(.folder, 1000, 0o770)))
        #expect(!trust.isOwn(step(.folder, 1000, 0o1777)))
        #expect(!trust.isOwn(step(.file, 1000, 0o700)))
    }

    @Test func `a doubt says what is wrong and what to do`() {
        let doubts: [(PathDoubt, String, String)] = [
            (.owner(path: "/p", owner: 7), "/p belongs to user 7", "change its owner"),
            (.writable(path: "/p", byEverybody: true), "may be written by everybody", "chmod o-w /p"),
            (.writable(path: "/p", byEverybody: false), "others in its group", "chmod g-w /p"),
            (.kind(path: "/p"), "neither a file nor a folder", "name another"),
        ]
        for (doubt, detail, advice) in doubts {
            #expect(doubt.detail.contains(detail))
            #expect(doubt.advice.contains(advice))
        }
    }
}
