// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageProtocol
import Testing

struct JournalRecordTests {
    static let key = SessionTaskKey(session: "de.example.photos", task: 7)

    static func submission() throws -> JournalEntry {
        let source = TransferSpec.UploadSource(
            path: "/home/ä/photo 1.jpg",
            identity: FileIdentity(device: 1, inode: 2, size: 3, modified: 4)
        )
        var spec = TransferSpec(
            direction: .upload(source),
            url: try RequestURL("https://photos.example/upload?id=1"),
            method: "POST",
            owner: "de.example"
        )
        spec.headers = [HeaderField(name: "X-Photo", value: "1")]
        spec.sessionTask = key
        spec.label = "1"
        return .submit(spec)
    }

    static func allEntries() throws -> [JournalEntry] {
        [
            try submission(), .cancelAll(session: "s"), .setPriority(key, 0.75), .setDescription(key, nil),
            .setDescription(key, "photo \"1\"\n"), .fileTaken(TransferID(rawValue: 3)),
            .acknowledge(TransferID(rawValue: .max)),
            .answer(TransferID(rawValue: 4), .credential(user: "u", password: "p")),
            .answer(TransferID(rawValue: 4), .performDefaultHandling),
        ] + JournalEntry.Verb.allCases.map { .act(key, $0) }
    }

    @Test func `every entry comes back as it was written`() throws {
        var bytes: [UInt8] = []
        let entries = try Self.allEntries()
        for (index, entry) in entries.enumerated() {
            bytes += try JournalRecord(entry, sequence: UInt64(index + 1)).encoded()
        }
        var rest = bytes[...]
        for (index, entry) in entries.enumerated() {
            let (record, length) = try #require(JournalRecord.first(in: rest))
            #expect(record.sequence == UInt64(index + 1))
            #expect(try record.entry() == entry)
            rest = rest.dropFirst(length)
        }
        #expect(rest.isEmpty)
    }

    @Test func `a submission holds the specification alone, so that the store can keep it as it is`() throws {
        let record = try JournalRecord(try Self.submission(), sequence: 1)
        #expect(record.kind == .submit)
        let spec = try JSONDecoder().decode(TransferSpec.self, from: Data(record.json))
        #expect(JournalEntry.submit(spec) == (try Self.submission()))
    }

    @Test func `a record that was cut off anywhere is none`() throws {
        let bytes = try JournalRecord(try Self.submission(), sequence: 1).encoded()
        for length in 0..<bytes.count {
            #expect(JournalRecord.first(in: bytes[..<length]) == nil, "cut after \(length) bytes")
        }
    }

    @Test func `a record whose blocks did not all reach the disk is none`() throws {
        let bytes = try JournalRecord(try Self.submission(), sequence: 0x0102_0304_0506_0708).encoded()
        #expect(JournalRecord.first(in: [UInt8](repeating: 0, count: bytes.count)[...]) == nil)
        var endless = bytes
        endless.replaceSubrange(0..<4, with: [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(JournalRecord.first(in: endless[...]) == nil)
        for lost in 5..<13 {
            var damaged = bytes
            damaged[lost] = 0
            #expect(JournalRecord.first(in: damaged[...]) == nil, "byte \(lost) lost")
            damaged = bytes
            damaged[bytes.count - 13 + lost] ^= 0x10
            #expect(JournalRecord.first(in: damaged[...]) == nil)
        }
        var unknown = bytes
        unknown[4] = 9
        #expect(JournalRecord.first(in: unknown[...]) == nil)
    }

    @Test func `a record is found at the beginning of a slice that begins anywhere`() throws {
        let bytes = try JournalRecord(.acknowledge(TransferID(rawValue: 1)), sequence: 2).encoded()
        let (record, length) = try #require(JournalRecord.first(in: ([1, 2, 3] + bytes + [9])[3...]))
        #expect(record.sequence == 2)
        #expect(length == bytes.count)
    }
}
