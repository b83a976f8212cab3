// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct CollectionMakingTests {
    private static func spec(_ url: String, _ collections: Int?) throws -> TransferSpec {
        let source = TransferSpec.UploadSource(
            path: "/x",
            identity: FileIdentity(device: 1, inode: 2, size: 3, modified: 4)
        )
        var spec = TransferSpec(direction: .upload(source), url: try RequestURL(url), owner: "command")
        spec.collections = collections
        return spec
    }

    /// Runs through answers; returns the requested folders and the result.
    private static func run(
        _ url: String,
        _ collections: Int?,
        refusal: Int = 409,
        _ statuses: [Int]
    ) throws -> (folders: [String], end: String) {
        guard var making = CollectionMaking(try spec(url, collections), refusal: Answer(status: refusal)) else {
            return ([], "none")
        }
        var folders: [String] = []
        var rest = statuses
        var step = making.first
        while case .make(let folder) = step {
            folders.append(folder.unredacted)
            guard !rest.isEmpty else { return (folders, "unanswered") }
            step = making.answered(Answer(status: rest.removeFirst()))
        }
        switch step {
        case .make: return (folders, "")
        case .sendAgain: return (folders, "again")
        case .finish(let answer): return (folders, "\(answer.status)")
        case .fail(let failure): return (folders, failure.detail)
        }
    }

    struct Case: Sendable {
        var count: Int?
        var refusal = 409
        var statuses: [Int]
        var folders: [String]
        var end: String
    }

    static let cases = [
        Case(count: 2, statuses: [201], folders: ["s/"], end: "again"),
        Case(count: 2, refusal: 404, statuses: [201], folders: ["s/"], end: "again"),
        Case(count: 2, refusal: 500, statuses: [405], folders: ["s/"], end: "again"),
        Case(count: 2, statuses: [409, 201, 201], folders: ["s/", "", "s/"], end: "again"),
        Case(count: 2, statuses: [404, 405, 201], folders: ["s/", "", "s/"], end: "again"),
        // The server contradicts itself: it is not asked forever.
        Case(
            count: 2,
            statuses: [409, 201, 409],
            folders: ["s/", "", "s/"],
            end: "no folder to create http://h/d/b/s/ in"
        ),
        Case(
            count: 1,
            statuses: [409],
            folders: ["s/"],
            end: "the server has no folder to create http://h/d/b/s/ in: create http://h/d/b/ first, or use another URL"
        ),
        Case(count: 2, refusal: 404, statuses: [404, 404], folders: ["s/", ""], end: "404"),
        Case(count: 2, refusal: 404, statuses: [501], folders: ["s/"], end: "404"),
        Case(
            count: 2,
            statuses: [403],
            folders: ["s/"],
            end: "answered 403 Forbidden to the request to create the folder http://h"
        ),
        Case(count: 2, statuses: [301], folders: ["s/"], end: "redirects"),
        Case(count: 2, statuses: [401], folders: ["s/"], end: "401"),
        Case(count: 2, statuses: [503], folders: ["s/"], end: "503"),
        Case(count: 2, refusal: 403, statuses: [], folders: [], end: "none"),
        Case(count: 2, refusal: 201, statuses: [], folders: [], end: "none"),
        Case(count: nil, statuses: [], folders: [], end: "none"),
        Case(count: -3, statuses: [], folders: [], end: "none"),
    ]

    @Test(arguments: cases.indices)
    func `an answer leads to the next folder, to the file, or to an end`(index: Int) throws {
        let one = Self.cases[index]
        let found = try Self.run("http://h/d/b/s/file", one.count, refusal: one.refusal, one.statuses)
        #expect(found.folders == one.folders.map { "http://h/d/b/" + $0 })
        #expect(found.end == one.end || one.end.count > 5 && found.end.contains(one.end), "\(found.end)")
    }

    @Test(arguments: [
        ("http://h/f", 3, []), ("http://h/", 3, []), ("http://h", 3, []),
        ("http://h/a/f", 3, ["http://h/a/"]), ("http://h/a/f", Int.max, ["http://h/a/"]),
        ("https://u@[::1]:81/a/b/f?sig=/x/y", 1, ["https://u@[::1]:81/a/b/?sig=/x/y"]),
        ("http://h//a//b/f", 9, ["http://h//a/", "http://h//a//b/"]),
        ("http://h/%2F/a%20b/f", 9, ["http://h/%2F/", "http://h/%2F/a%20b/"]),
    ])
    func `no folder is above those that are counted`(url: String, count: Int, folders: [String]) throws {
        let found = try Self.run(url, count, Array(repeating: 409, count: max(0, folders.count - 1)))
        #expect(found.folders == folders.reversed())
    }

    @Test func `a specification that counts folders is checked`() throws {
        try Self.spec("http://h/a/f", 1).validate()
        for count in [0, -1, Int.max, Int.min] {
            #expect(throws: RequestError.self) { try Self.spec("http://h/a/f", count).validate() }
        }
        var posted = try Self.spec("http://h/a/f", 1)
        posted.method = "POST"
        #expect(throws: RequestError.self) { try posted.validate() }
    }
}
