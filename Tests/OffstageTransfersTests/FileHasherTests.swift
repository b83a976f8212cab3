// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport
import OffstageTransfers
import Testing

struct FileHasherTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func makeFile(_ bytes: [UInt8]) throws -> Int32 {
        let path = directory.path("file")
        try TestFiles.write(bytes, to: path)
        let file = open(path, O_RDONLY | O_CLOEXEC)
        try #require(file >= 0)
        return file
    }

    @Test func `the checksums of known texts are right`() throws {
        let known = [
            "": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "abc": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        ]
        for (text, checksum) in known {
            let fd = try makeFile(Array(text.utf8))
            defer { close(fd) }
            #expect(try FileHasher.sha256(of: fd) == checksum)
        }
    }

    @Test func `a file longer than the buffer is hashed whole, wherever its offset is`() throws {
        let fd = try makeFile([UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000))
        defer { close(fd) }
        #expect(lseek(fd, 12345, SEEK_SET) == 12345)
        let known = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        #expect(try FileHasher.sha256(of: fd) == known)
        #expect(lseek(fd, 0, SEEK_CUR) == 12345)
    }

    @Test func `hashing stops when it is cancelled`() throws {
        let fd = try makeFile([UInt8](repeating: 0, count: 1_000_000))
        defer { close(fd) }
        var asked = 0
        #expect(throws: FileHasher.HashError.cancelled) {
            try FileHasher.sha256(of: fd) {
                asked += 1
                return asked == 3
            }
        }
    }

    @Test func `the hashing of blocks stops within a block when it is cancelled`() throws {
        let fd = try makeFile([UInt8](repeating: 0, count: 5 << 20))
        defer { close(fd) }
        var asked = 0
        let result = FileHasher.blockDigests(of: fd, in: 0..<5 << 20) {
            asked += 1
            return asked == 3
        }
        #expect(result == .failure(.cancelled))
        #expect(asked == 3)
        guard case .success(let digests) = FileHasher.blockDigests(of: fd, in: 0..<5 << 20) else {
            return _ = Issue.record("it is not hashed")
        }
        #expect(digests.count == 64)
    }

    @Test func `a file that cannot be read is told with its error`() {
        #expect(throws: FileHasher.HashError.unreadable(EBADF)) { try FileHasher.sha256(of: -1) }
        let fd = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(fd) }
        #expect(throws: FileHasher.HashError.unreadable(EISDIR)) { try FileHasher.sha256(of: fd) }
    }
}
