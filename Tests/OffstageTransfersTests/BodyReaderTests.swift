// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// The body of a request, read in pieces and in any order.
struct BodyReaderTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func source(_ name: String, bytes: Int, seed: UInt64 = 1) throws -> TransferSpec.UploadSource {
        let path = directory.path(name)
        try TestFiles.makeRandom(path, bytes: bytes, seed: seed)
        var status = stat()
        try #require(stat(path, &status) == 0)
        return .init(path: path, identity: FileIdentity(status))
    }

    private func whole(_ source: TransferSpec.UploadSource) -> RequestBody.Segment {
        .file(.init(source, count: source.identity.size))
    }

    /// The bytes that one call reads.
    private func piece(_ reader: BodyReader, at position: Int64, _ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = try bytes.withUnsafeMutableBytes { try reader.read(into: $0, at: position).get() }
        return Array(bytes[..<read])
    }

    /// The directory's files that this process has open.
    private var openFiles: [String] { OpenFiles.paths().filter { $0.hasPrefix(directory.path + "/") } }

    /// A body with every kind of part, and its bytes: empty parts at both ends and twice in between.
    private func mixed() throws -> (body: RequestBody, bytes: [UInt8]) {
        let large = try source("large", bytes: 70_000)
        let empty = try source("empty", bytes: 0)
        let small = try source("small", bytes: 3, seed: 2)
        let content = try TestFiles.read(large.path)
        let body = RequestBody([
            .bytes([]), .bytes(Array("head".utf8)), whole(large), whole(empty), .bytes(Array("between".utf8)),
            .bytes([]), whole(small), whole(small), .file(.init(large, offset: 500, count: 1000)), whole(empty),
        ])
        let three = try TestFiles.read(small.path)
        let bytes = Array("head".utf8) + content + Array("between".utf8) + three + three + content[500..<1500]
        return (body, bytes)
    }

    @Test func `a body is read to its end, whatever it is made of`() throws {
        let (body, bytes) = try mixed()
        let reader = BodyReader(body, path: "", descriptor: -1)
        #expect(reader.count == Int64(bytes.count))
        var read: [UInt8] = []
        while read.count < bytes.count {
            let next = try piece(reader, at: Int64(read.count), 9000)
            try #require(!next.isEmpty)
            read += next
        }
        #expect(read == bytes)
        #expect(try piece(reader, at: reader.count, 10).isEmpty)
        #expect(reader.sourceFailure() == nil)
        let nothing = BodyReader(RequestBody([whole(try source("none", bytes: 0))]), path: "", descriptor: -1)
        #expect(nothing.count == 0)
        #expect(try piece(nothing, at: 0, 10).isEmpty)
    }

    @Test func `a body is read from anywhere, backwards too`() throws {
        let (body, bytes) = try mixed()
        let reader = BodyReader(body, path: "", descriptor: -1)
        var generator = SeededGenerator(seed: 7)
        let ends = [0, 3, 4, 5, 70_003, 70_004, 70_005, 70_011, 70_014, 70_017, bytes.count - 1]
        let anywhere = (0..<300).map { _ in Int.random(in: 0..<bytes.count, using: &generator) }
        for position in ends + ends.reversed() + anywhere {
            let read = try piece(reader, at: Int64(position), 2000)
            #expect(!read.isEmpty)
            #expect(read[...] == bytes[position..<position + read.count], "at \(position)")
        }
    }

    @Test func `one file is open at a time, however many there are, and none afterwards`() throws {
        let sources = try (0..<40).map { try source("file \($0)", bytes: 100, seed: UInt64($0)) }
        var reader: BodyReader? = BodyReader(RequestBody(sources.map(whole)), path: "", descriptor: -1)
        for index in Array(0..<40) + (0..<40).reversed() {
            _ = try piece(try #require(reader), at: Int64(index * 100 + 5), 10)
            #expect(openFiles == [sources[index].path])
        }
        reader = nil
        #expect(openFiles == [])
    }

    @Test func `the attempt's own file is read through its descriptor, and stays open`() throws {
        let own = try source("own", bytes: 5000)
        let bytes = try TestFiles.read(own.path)
        let descriptor = open(own.path, O_RDONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        var reader: BodyReader? = BodyReader(RequestBody(own), path: own.path, descriptor: descriptor)
        // The opened file is the one that is sent.
        try #require(unlink(own.path) == 0)
        #expect(try piece(try #require(reader), at: 0, 5000) == bytes)
        #expect(reader?.sourceFailure()?.code == .sourceMissing)
        reader = nil
        #expect(fcntl(descriptor, F_GETFD) >= 0)
    }

    @Test func `a file that became another is not read`() throws {
        let first = try source("first", bytes: 1000)
        let second = try source("second", bytes: 1000, seed: 2)
        let reader = BodyReader(RequestBody([whole(first), whole(second)]), path: "", descriptor: -1)
        _ = try piece(reader, at: 0, 10)
        try #require(truncate(first.path, 500) == 0)
        try #require(unlink(second.path) == 0)
        // The file is open, and has become shorter.
        let short = #expect(throws: TransferFailure.self) { try piece(reader, at: 600, 10) }
        #expect(short?.code == .sourceChanged)
        let gone = #expect(throws: TransferFailure.self) { try piece(reader, at: 1500, 10) }
        #expect(gone?.code == .sourceMissing)
        // The file is opened again.
        let changed = #expect(throws: TransferFailure.self) { try piece(reader, at: 0, 10) }
        #expect(changed?.code == .sourceChanged)
        #expect(reader.sourceFailure()?.code == .sourceChanged)
    }
}
