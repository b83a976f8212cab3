// SPDX-License-Identifier: Apache-2.0
import DropboxEmulator
import OffstageTestSupport
import Testing

/// `content_hash`, by Dropbox's own vectors.
@Suite struct ContentHasherTests {
    @Test(arguments: [
        (0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (4_194_303, "839e2d868a885f260431d186466f0f3c189ee0eee5cc444b54e717740ad7f1c3"),
        (4_194_304, "c7e946d101855255d919ef0c70718633adf77d3dfb3adeeecf5d0cb4e951be58"),
        (4_194_305, "14a4d47f23a30177885d9820122f17d2d3a55fe63f7f5c27b95f689e0b2accd6"),
        (8_388_608, "03ae066c707c588592d9e27aa2444ca98423e0999024f1ceaa11a153790b37de"),
    ])
    func `zeros around the edges of blocks have the known hashes`(count: Int, hash: String) {
        #expect(ContentHasher.contentHash(of: [UInt8](repeating: 0, count: count)) == hash)
    }

    @Test func `a short text has the known hash`() {
        let hash = "9595c9df90075148eb06860365df33584b75bff782a510c6cd4883a419833d50"
        #expect(ContentHasher.contentHash(of: Array("hello".utf8)) == hash)
    }

    @Test func `pieces of any size give the hash of the whole`() {
        var random = SeededGenerator(seed: 31)
        let bytes = random.bytes(9_000_000)
        var hasher = ContentHasher()
        var rest = bytes[...]
        var size = 1
        while !rest.isEmpty {
            rest.prefix(size).withUnsafeBytes { hasher.update($0) }
            rest = rest.dropFirst(size)
            size = size * 3 + 1
        }
        #expect(hasher.contentHash() == ContentHasher.contentHash(of: bytes))
        #expect(hasher.count == 9_000_000)
    }

    @Test func `a copy goes its own way`() {
        let start = Array("abc".utf8)
        var first = ContentHasher()
        start.withUnsafeBytes { first.update($0) }
        var second = first
        Array("def".utf8).withUnsafeBytes { second.update($0) }
        #expect(first.contentHash() == ContentHasher.contentHash(of: start))
        #expect(second.contentHash() == ContentHasher.contentHash(of: Array("abcdef".utf8)))
        #expect(first.contentHash() == first.contentHash())
    }

    @Test func `the hash of a part that begins with a block needs no second pass`() {
        let first = [UInt8](repeating: 1, count: 4_194_304)
        let second = [UInt8](repeating: 2, count: 5_000_000)
        var hasher = ContentHasher()
        first.withUnsafeBytes { hasher.update($0) }
        second.withUnsafeBytes { hasher.update($0) }
        #expect(hasher.contentHash(fromBlock: 1) == ContentHasher.contentHash(of: second))
        let digests = hasher.blockDigests()
        #expect(digests.count == 96)
        #expect(ContentHasher.contentHash(ofDigests: digests) == ContentHasher.contentHash(of: first + second))
    }
}
