// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTransfers
import Testing

@Suite struct DigestCacheTests {
    private static func file(_ size: Int64, modified: Int64 = 3) -> FileIdentity {
        FileIdentity(device: 1, inode: 2, size: size, modified: modified)
    }

    private static func digests(of size: Int64) -> BlockDigests {
        var digests = BlockDigests(size: size)
        digests.insert([UInt8](repeating: 7, count: 32), from: 0, wanted: nil)
        return digests
    }

    @Test func `what is known of a file is handed out once, and of that file alone`() {
        let (id, size) = (TransferID(rawValue: 1), Int64(12 << 20))
        var cache = DigestCache()
        cache.keep(Self.digests(of: size), of: id, file: Self.file(size))
        #expect(cache.remove(TransferID(rawValue: 2), file: Self.file(size)) == nil)
        let found = cache.remove(id, file: Self.file(size))
        #expect(found?.missing(in: 0..<size) == 4 << 20..<size)
        #expect(cache.remove(id, file: Self.file(size)) == nil)

        cache.keep(Self.digests(of: size), of: id, file: Self.file(size))
        #expect(cache.remove(id, file: Self.file(size, modified: 4)) == nil, "the file has changed")
        #expect(cache.bytes == 0)
    }

    @Test func `what an attempt knew last takes the place of what was known`() {
        let (id, size) = (TransferID(rawValue: 1), Int64(12 << 20))
        var cache = DigestCache()
        cache.keep(Self.digests(of: size), of: id, file: Self.file(size))
        let bytes = cache.bytes
        cache.keep(Self.digests(of: size), of: id, file: Self.file(size))
        #expect(cache.bytes == bytes)
        cache.keep(nil, of: id, file: Self.file(size))
        #expect(cache.bytes == 0)
        cache.keep(Self.digests(of: size), of: id, file: Self.file(size))
        cache.forget(id)
        cache.forget(id)
        #expect(cache.bytes == 0)
    }

    @Test func `the oldest go when there is too much, and the longest file's are kept`() {
        let half: Int64 = 1 << 40
        var cache = DigestCache()
        for number in 1...3 as ClosedRange<Int64> {
            cache.keep(Self.digests(of: half), of: TransferID(rawValue: number), file: Self.file(half))
            #expect(cache.bytes <= DigestCache.limit)
        }
        #expect(cache.remove(TransferID(rawValue: 1), file: Self.file(half)) == nil)
        #expect(cache.remove(TransferID(rawValue: 3), file: Self.file(half)) != nil)
        let longest = DropboxUpload.largestFile
        cache.keep(Self.digests(of: longest), of: TransferID(rawValue: 4), file: Self.file(longest))
        #expect(cache.remove(TransferID(rawValue: 4), file: Self.file(longest)) != nil)
    }
}
