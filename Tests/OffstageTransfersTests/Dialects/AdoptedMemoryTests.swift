// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// The memory of an upload that another machine began.
@Suite struct AdoptedMemoryTests {
    private static let here = FileIdentity(device: 9, inode: 8, size: 50_000_000, modified: 77)
    /// The source as the other machine has it.
    private static let there = #""source":[1,2,50000000,77]"#

    private static let s3 = #"{"v":1,\#(there),"id":"u-1","partSize":8388608,"stored":8388608,"region":"eu-west-1"}"#
    private static let kept = #""upload":{"url":"https://h.example/u","acknowledged":1048576,"sent":2097152}"#
    private static let tus = #"{"v":1,\#(there),"chunk":1048576,\#(kept)}"#
    private static let resumable = #"{"v":1,\#(there),"interop":8,\#(kept)}"#
    private static let gcs = #"{"v":1,\#(there),"chunk":1048576,"hashed":0,"crc32c":0,\#(kept)}"#

    private static func upload(_ dialect: String?, _ memory: String, to url: String) throws -> TransferSpec {
        var spec = TransferSpec(
            direction: .upload(.init(path: "/film", identity: here)),
            url: try RequestURL(url),
            owner: "command"
        )
        spec.dialect = dialect.map { DialectSpec(name: $0, parameters: "{}", destination: url) }
        spec.keeper = TransferKeeper(fleet: "f", row: 1, fence: 2)
        spec.keptUpload = Base64Bytes(bytes: Array(memory.utf8))
        return spec
    }

    /// Splits a memory into its source and all other fields.
    private static func parts(_ memory: [UInt8]) throws -> (source: [Int], others: [String: JSONValue]) {
        guard case .object(var members) = try JSONValue(parsing: String(decoding: memory, as: UTF8.self)) else {
            throw TestError("a memory is an object")
        }
        let source = members.removeValue(forKey: "source")?.array.compactMap(\.integer)
        return (source ?? [], members)
    }

    @Test(arguments: [("s3", s3), ("tus", tus), ("resumable", resumable), ("gcs", gcs), (nil, resumable)])
    func `it becomes one of this machine's file, and nothing else changes`(dialect: String?, memory: String) throws {
        let spec = try Self.upload(dialect, memory, to: "https://h.example/a")
        let found = try #require(Dialects.adoptedMemory(spec))
        let after = try Self.parts(found)
        #expect(after.source == [9, 8, 50_000_000, 77])
        #expect(try after.others == Self.parts(Array(memory.utf8)).others)
        // The dialect continues from it.
        let transfer = Transfer(
            id: TransferID(rawValue: 1),
            spec: spec,
            now: Moment(wall: Date(), bootID: "b", uptime: 1)
        )
        #expect(transfer.dialectMemory == spec.keptUpload?.bytes)
    }

    @Test(arguments: ["s3", "tus", "resumable", "gcs"])
    func `of a file with another size or time, or in another dialect, it is dropped`(dialect: String) throws {
        for (old, new) in [("50000000,77", "50000000,78"), ("50000000,77", "49999999,77"), (#""v":1"#, #""v":9"#)] {
            let memory = ["s3": Self.s3, "tus": Self.tus, "resumable": Self.resumable, "gcs": Self.gcs][dialect] ?? ""
            let spec = try Self.upload(
                dialect,
                memory.replacing(old, with: new),
                to: "https://h.example/a"
            )
            #expect(Dialects.adoptedMemory(spec) == nil)
        }
        for junk in ["", "{", "[]", "null"] {
            #expect(Dialects.adoptedMemory(try Self.upload(dialect, junk, to: "https://h.example/a")) == nil)
        }
        #expect(Dialects.adoptedMemory(try Self.upload("unknown", Self.s3, to: "https://h.example/a")) == nil)
    }

    @Test func `without a keeper a dialect takes no memory with the specification`() throws {
        var spec = try Self.upload("tus", Self.tus, to: "https://h.example/a")
        spec.keeper = nil
        let transfer = Transfer(
            id: TransferID(rawValue: 1),
            spec: spec,
            now: Moment(wall: Date(), bootID: "b", uptime: 1)
        )
        #expect(transfer.dialectMemory == nil)
    }
}
