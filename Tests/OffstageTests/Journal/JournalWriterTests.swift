// SPDX-License-Identifier: Apache-2.0
import Glibc
import Offstage
import OffstageProtocol
import OffstageTestSupport
import Testing

@Suite struct JournalWriterTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("a.journal")
    }

    private func adoptFile(_ writer: JournalWriter) throws -> Int {
        let descriptor = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        return writer.adopt(descriptor)
    }

    private func records() throws -> [JournalRecord] {
        var bytes = try TestFiles.read(path)[...]
        var found: [JournalRecord] = []
        while let (record, length) = JournalRecord.first(in: bytes) {
            found.append(record)
            bytes = bytes.dropFirst(length)
        }
        try #require(bytes.isEmpty)
        return found
    }

    private static let json = Array(#"{"a":1}"#.utf8)

    @Test func `without a journal nothing is written`() {
        #expect(JournalWriter().append(.entry, Self.json) == .sealed(generation: 0))
    }

    @Test func `records are numbered from 1 and stand one after the other`() throws {
        let writer = JournalWriter()
        let generation = try adoptFile(writer)
        for sequence in UInt64(1)...3 {
            let position = JournalPosition(generation: generation, sequence: sequence)
            #expect(writer.append(.entry, Self.json) == .appended(position, mustRing: sequence == 1))
        }
        #expect(try records() == (1...3).map { JournalRecord(kind: .entry, sequence: $0, json: Self.json) })
    }

    @Test func `a sealed journal takes no more, and the next one counts anew`() throws {
        let writer = JournalWriter()
        let first = try adoptFile(writer)
        _ = writer.append(.submit, Self.json)
        chmod(path, 0o400)
        #expect(writer.append(.submit, Self.json) == .sealed(generation: first))
        #expect(try records().count == 1)
        unlink(path)
        let second = try adoptFile(writer)
        #expect(second == first + 1)
        let position = JournalPosition(generation: second, sequence: 1)
        #expect(writer.append(.submit, Self.json) == .appended(position, mustRing: true))
    }

    @Test func `threads do not mix their records`() throws {
        let writer = JournalWriter()
        _ = try adoptFile(writer)
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for _ in 0..<500 { _ = writer.append(.entry, Self.json) }
        }
        #expect(try records().map(\.sequence) == Array(1...2000))
    }

    @Test func `half a record is taken back when the disk is full`() throws {
        // Linux has a device for this, which accepts no bytes; every write fails with ENOSPC.
        let descriptor = open("/dev/full", O_RDWR | O_APPEND | O_CLOEXEC)
        try #require(descriptor >= 0)
        let writer = JournalWriter()
        _ = writer.adopt(descriptor)
        #expect(writer.append(.entry, Self.json) == .failed(errno: ENOSPC))
    }
}
