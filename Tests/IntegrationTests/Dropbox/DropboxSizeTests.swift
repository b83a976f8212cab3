// SPDX-License-Identifier: Apache-2.0
import DropboxEmulator
import OffstageTestSupport
import Testing

/// Files on both sides of the limit of one request, with the real command and daemon and an emulated account.
struct DropboxSizeTests {
    @Test(arguments: [5, 8 << 20, (8 << 20) + 1, 100 << 20])
    func `a file arrives with the content_hash that it has`(count: Int) throws {
        let daemon = try DaemonFixture()
        let emulator = try DropboxEmulatorServer()
        try daemon.signIn(to: emulator)
        let path = daemon.path("file.bin")
        try TestFiles.makeRandom(path, bytes: count, seed: 1)
        let result = try daemon.run("upload", "file.bin", "dropbox:/file.bin")
        #expect(result.isSuccess, "\(result)")
        var hasher = ContentHasher()
        try TestFiles.read(path).withUnsafeBytes { hasher.update($0) }
        let file = try #require(emulator.file("/file.bin"))
        #expect(file.size == Int64(count))
        #expect(file.contentHash == hasher.contentHash())
        #expect(emulator.record.commits == 1)
        #expect(emulator.record.bytesReceivedTwice == 0)
        #expect(emulator.record.calls(.upload) == (count <= 8 << 20 ? 1 : 0))
        let row = try daemon.show(1)
        #expect(row.bytesDone.integer == count && row.attempts.integer == 1)
    }
}
