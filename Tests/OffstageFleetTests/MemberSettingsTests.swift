// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import OffstageCore
import OffstageFleet
import OffstageTestSupport
import Testing

@Suite struct MemberSettingsTests {
    private let folder: TemporaryDirectory
    private let path: String

    init() throws {
        folder = try TemporaryDirectory()
        path = folder.path("fleet-member.json")
    }

    private static let good = """
        "database": "postgresql://m@db.example/fleet", "fleet": "5f0c6a52-1f2b-4b8e-9d7e-3a54c1c9a001", "name": "nas-1", "key": "/k"
        """

    private func read(_ text: String) throws -> MemberSettings {
        try TestFiles.write(text, to: path)
        #expect(chmod(path, 0o600) == 0)
        return try MemberSettings.read(path)
    }

    @Test func `settings are read as they were written, for their user alone`() throws {
        var settings = try read("{\(Self.good)}")
        #expect(settings.rows == 8 && settings.listens && !settings.isDevice && settings.shares.isEmpty)
        settings.labels = ["site=seoul"]
        settings.shares = ["/mnt/a b"]
        settings.accounts = ["box"]
        (settings.isDevice, settings.shows, settings.listens, settings.rows) = (true, true, false, 3)
        try settings.write(to: path)
        #expect(try MemberSettings.read(path) == settings)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(chmod(path, 0o644) == 0)
        #expect(throws: MemberError.self) { try MemberSettings.read(path) }
        #expect(throws: MemberError.self) { try MemberSettings.read(folder.path("nothing")) }
        #expect(throws: MemberError.self) { try MemberSettings.read(folder.path) }
    }

    @Test(arguments: [
        "", "[]", "{}", "nonsense", #"{"name": 1}"#, "{\(good), \"rows\": 0}", "{\(good), \"rows\": 100000}",
        "{\(good), \"rows\": 1e99}", "{\(good), \"unknown\": 1}", "{\(good), \"labels\": [\"seoul\"]}",
        "{\(good), \"shares\": [\"media\"]}", "{\(good), \"shares\": [\"/a\\u0000b\"]}",
        "{\(good.replacing("/fleet\"", with: "/fleet?sslmode=disable\""))}",
        "{\(good.replacing("nas-1", with: "a b"))}", "{\(good.replacing("\"/k\"", with: "\"k\""))}",
        "{\(good.replacing("5f0c", with: "../x"))}",
    ]) func `settings that make no sense are refused, in a sentence`(text: String) throws {
        do {
            _ = try read(text)
            Issue.record("\(text) was taken")
        } catch let error as MemberError {
            #expect(error.description.hasSuffix("."))
        }
    }

    @Test func `a member's identity is what was written, and its turns go on above those that were reserved`() throws {
        let file = IdentityFile(path: path)
        #expect(file.identity == nil)
        #expect(throws: MemberError.self) { try file.nextBeat() }
        let identity = MemberIdentity(fleet: "f", joinedAs: "a", member: 3, incarnation: 7, leaseLength: 30)
        try file.set(identity)
        #expect(try file.nextBeat() == 1)
        #expect(try file.nextBeat() == 2)
        let again = IdentityFile(path: path)
        #expect(again.identity?.member == 3 && again.identity?.incarnation == 7)
        let next = try again.nextBeat()
        #expect(next > 1000, "the earlier process may have got so far")
        let now = MemberClock().now()
        again.record(Deadline(setAt: now, delay: 24))
        #expect(IdentityFile(path: path).identity?.deadline == Deadline(setAt: now, delay: 24))
        try again.set(nil)
        #expect(access(path, F_OK) != 0)
    }

    @Test(arguments: [
        "", "[]", #"{"fleet":"f","joinedAs":"a","member":0,"incarnation":1,"reservedBeat":0,"leaseLength":30}"#,
        #"{"fleet":"f","joinedAs":"a","member":1,"incarnation":9999999999,"reservedBeat":0,"leaseLength":30}"#,
        #"{"fleet":"f","joinedAs":"a","member":1,"incarnation":1,"reservedBeat":-1,"leaseLength":30}"#,
        #"{"fleet":"f","joinedAs":"a","member":1,"incarnation":1,"reservedBeat":0,"leaseLength":1e9}"#,
    ]) func `an identity that makes no sense is none: the member joins anew`(text: String) throws {
        try TestFiles.write(text, to: path)
        #expect(IdentityFile(path: path).identity == nil)
    }
}
