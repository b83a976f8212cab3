// SPDX-License-Identifier: Apache-2.0
import DropboxEmulator
import Testing

/// Files in one request, and the conditions for committing them.
@Suite struct UploadTests {
    var bench = EmulatorBench()

    mutating func upload(_ path: String, _ text: String, _ commit: [String: EmulatorJSON] = [:]) -> EmulatorReply {
        bench.call(.upload, .object(commit.merging(["path": .string(path)]) { given, _ in given }), text)
    }

    @Test mutating func `a new file has all fields of its metadata`() throws {
        bench.now = 1_785_932_096
        let reply = upload("/Folder/Name.txt", "hello", ["client_modified": "2020-02-29T01:02:03Z"])
        #expect(reply.status == 200)
        #expect(reply.header("Content-Type") == "application/json")
        #expect(reply.header("X-Dropbox-Request-Id")?.count == 32)
        let json = reply.json
        #expect(json["name"] == "Name.txt")
        #expect(json["path_display"] == "/Folder/Name.txt")
        #expect(json["path_lower"] == "/folder/name.txt")
        #expect(json["size"] == 5)
        #expect(json["client_modified"] == "2020-02-29T01:02:03Z")
        #expect(json["server_modified"] == "2026-08-05T12:14:56Z")
        #expect(json["content_hash"] == "9595c9df90075148eb06860365df33584b75bff782a510c6cd4883a419833d50")
        #expect(json["is_downloadable"] == true)
        #expect(json[".tag"] == .null)
        let id = try #require(json["id"].string)
        let rev = try #require(json["rev"].string)
        #expect(id.hasPrefix("id:"))
        #expect(rev.count >= 9 && rev.allSatisfy { "0123456789abcdef".contains($0) })
        #expect(bench.call(.getMetadata, ["path": "/FOLDER/name.TXT"]).json["rev"].string == rev)
        #expect(bench.call(.getMetadata, ["path": .string(id)]).json[".tag"] == "file")
        #expect(bench.call(.getMetadata, ["path": .string("rev:\(rev)")]).json["id"].string == id)
        #expect(bench.call(.getMetadata, ["path": "/folder"]).json["path_display"] == "/Folder")
    }

    @Test mutating func `the same contents are no conflict unless that is asked for`() {
        let first = upload("/a", "same").json
        for mode: EmulatorJSON in ["add", "overwrite", .tag("update", ["update": "0123456789"])] {
            let reply = upload("/A", "same", ["mode": mode])
            #expect(reply.status == 200)
            #expect(reply.json["rev"] == first["rev"])
        }
        #expect(bench.dropbox.record.commits == 1)
        #expect(bench.dropbox.record.unchangedCommits == 3)
        for mode: EmulatorJSON in ["add", .tag("update", ["update": "0123456789"])] {
            let reply = upload("/a", "same", ["mode": mode, "strict_conflict": true])
            #expect(reply.json["error"]["reason"] == ["conflict": [".tag": "file"], ".tag": "conflict"])
        }
    }

    @Test mutating func `other contents are a conflict that keeps the bytes`() {
        _ = upload("/a", "one")
        let reply = upload("/a", "two")
        #expect(reply.status == 409)
        #expect(reply.tag == "path")
        #expect(reply.json["error"]["reason"]["conflict"][".tag"] == "file")
        #expect(reply.json["error_summary"].string?.hasPrefix("path/conflict/file/") == true)
        let session = reply.json["error"]["upload_session_id"].string ?? ""
        let done = bench.finish(session, 3, path: "/a", ["mode": "overwrite"])
        #expect(done.status == 200)
        #expect(done.json["content_hash"].string == ContentHasher.contentHash(of: Array("two".utf8)))
    }

    @Test mutating func `overwriting keeps the id and changes the rev`() {
        let first = upload("/A", "one").json
        let second = upload("/a", "two", ["mode": [".tag": "overwrite"]]).json
        #expect(second["id"] == first["id"])
        #expect(second["rev"] != first["rev"])
        #expect(second["path_display"] == "/A")
        #expect(bench.dropbox.files().count == 1)
        #expect(bench.segments.count == 1)
        #expect(bench.released.count == 1)
    }

    @Test mutating func `an update needs the revision that is there`() {
        let first = upload("/a", "one").json
        let second = upload("/a", "two", ["mode": .tag("update", ["update": first["rev"]])])
        #expect(second.status == 200)
        let third = upload("/a", "three", ["mode": .tag("update", ["update": first["rev"]])])
        #expect(third.json["error"]["reason"]["conflict"][".tag"] == "file")
        #expect(upload("/b", "x", ["mode": .tag("update", ["update": first["rev"]])]).status == 200)
        let strict = upload(
            "/c",
            "x",
            ["mode": .tag("update", ["update": first["rev"]]), "strict_conflict": true]
        )
        #expect(strict.json["error"]["reason"]["conflict"][".tag"] == "file")
    }

    @Test mutating func `autorename finds a free name in each mode's way`() {
        let rev = upload("/f/doc.tar.gz", "one").json["rev"]
        #expect(upload("/f/doc.tar.gz", "two", ["autorename": true]).json["name"] == "doc.tar (1).gz")
        #expect(upload("/f/doc.tar.gz", "three", ["autorename": true]).json["name"] == "doc.tar (2).gz")
        _ = upload("/f/doc.tar.gz", "four", ["mode": "overwrite"])
        let update: [String: EmulatorJSON] = ["mode": .tag("update", ["update": rev]), "autorename": true]
        #expect(upload("/f/doc.tar.gz", "five", update).json["name"] == "doc.tar (conflicted copy).gz")
        #expect(upload("/f/doc.tar.gz", "six", update).json["name"] == "doc.tar (conflicted copy 1).gz")
        #expect(upload("/f", "x", ["autorename": true]).json["name"] == "f (1)")
        _ = upload("/.hidden", "x")
        #expect(upload("/.hidden", "y", ["autorename": true]).json["name"] == ".hidden (1)")
    }

    @Test mutating func `folders and files in the way are told apart`() {
        _ = upload("/a/b", "x")
        #expect(upload("/A", "y").json["error"]["reason"]["conflict"][".tag"] == "folder")
        #expect(upload("/a", "y", ["mode": "overwrite"]).json["error"]["reason"]["conflict"][".tag"] == "folder")
        #expect(upload("/a/b/c/d", "y").json["error"]["reason"]["conflict"][".tag"] == "file_ancestor")
    }

    @Test(arguments: [
        ("/a//b", "malformed_path"), ("/a/", "malformed_path"), ("/..", "malformed_path"), ("/./a", "malformed_path"),
        ("/a\\b", "malformed_path"), ("id:nobody", "malformed_path"), ("/x/desktop.ini", "disallowed_name"),
        ("/Thumbs.DB", "disallowed_name"), ("ns:1/a", "no_write_permission"), ("/locked/a", "no_write_permission"),
    ])
    func `paths that cannot be written to are told`(path: String, tag: String) {
        var bench = EmulatorBench()
        bench.dropbox.rules.readOnlyFolders = ["/Locked"]
        let reply = bench.call(.upload, ["path": .string(path)], "x")
        #expect(reply.status == 409)
        #expect(reply.json["error"]["reason"][".tag"].string == tag)
        let session = bench.startSession("x")
        #expect(bench.finish(session, 1, path: path).json["error"]["path"][".tag"].string == tag)
    }

    @Test mutating func `a long name is malformed, and 255 characters are not`() {
        #expect(upload("/" + String(repeating: "n", count: 255), "x").status == 200)
        #expect(
            upload("/" + String(repeating: "n", count: 256), "x").json["error"]["reason"][".tag"] == "malformed_path"
        )
    }

    @Test mutating func `an id or the own namespace leads to the file`() {
        let first = upload("/Folder/a", "one").json
        let byID = bench.call(.upload, ["path": first["id"], "mode": "overwrite"], "two")
        #expect(byID.json["path_display"] == "/Folder/a")
        let namespace = bench.call(.currentAccount, .null).json["root_info"]["root_namespace_id"].string ?? ""
        let byNamespace = upload("ns:\(namespace)/Folder/b", "three")
        #expect(byNamespace.json["path_display"] == "/Folder/b")
    }

    @Test mutating func `a full account takes nothing more`() {
        bench.dropbox.rules.quota = 10
        #expect(upload("/a", "12345678").status == 200)
        #expect(upload("/b", "123").json["error"]["reason"][".tag"] == "insufficient_space")
        #expect(upload("/a", "1234567890", ["mode": "overwrite"]).status == 200)
    }

    @Test mutating func `a property group is refused and the file is there`() {
        let groups: EmulatorJSON = [["template_id": "ptid:1a", "fields": []]]
        let reply = upload("/a", "x", ["property_groups": groups])
        #expect(reply.tag == "properties_error")
        #expect(
            reply.json["error"]["properties_error"] == ["template_not_found": "ptid:1a", ".tag": "template_not_found"]
        )
        #expect(bench.dropbox.file("/a")?.size == 1)
        let session = bench.startSession("y")
        #expect(bench.finish(session, 1, path: "/b", ["property_groups": groups]).tag == "properties_error")
        #expect(bench.dropbox.file("/b") != nil)
    }

    @Test mutating func `a hash that does not fit stores nothing`() {
        let wrong = EmulatorJSON.string(ContentHasher.contentHash(of: []))
        #expect(upload("/a", "x", ["content_hash": wrong]).tag == "content_hash_mismatch")
        let right = EmulatorJSON.string(ContentHasher.contentHash(of: Array("x".utf8)).uppercased())
        #expect(upload("/a", "x", ["content_hash": right]).status == 200)
        #expect(upload("/a", "x", ["content_hash": "abc"]).status == 400)
        #expect(bench.segments.count == 1)
    }

    @Test mutating func `a body beyond the limit is too large in every call`() {
        bench.dropbox.rules.maximumBody = 4
        #expect(upload("/a", "12345").tag == "payload_too_large")
        #expect(bench.call(.start, [:], "12345").tag == "payload_too_large")
        let session = bench.startSession()
        #expect(bench.append(session, 0, "12345").tag == "payload_too_large")
        #expect(bench.finish(session, 0, "12345").tag == "payload_too_large")
        #expect(upload("/a", "1234").status == 200)
        #expect(DropboxRules().maximumBody == 150 << 20)
    }

    @Test mutating func `a temporary link takes one file without a token`() {
        bench.dropbox.address = "http://127.0.0.1:9"
        let argument: EmulatorJSON = ["commit_info": ["path": "/linked", "mode": "add"], "duration": .number(60)]
        let link = bench.call(.temporaryLink, argument).json["link"].string ?? ""
        #expect(link.hasPrefix("http://127.0.0.1:9/apitul/1/"))
        func send(_ link: String, _ text: String, _ type: String = "application/octet-stream") -> EmulatorReply? {
            let path = String(link.dropFirst("http://127.0.0.1:9".count))
            let request = EmulatorRequest(method: "POST", path: path, headers: ["Content-Type": type])
            return bench.send(request, Array(text.utf8)).reply
        }
        #expect(send(link, "x", "text/plain")?.status == 400)
        let hash = ContentHasher.contentHash(of: Array("hello".utf8))
        #expect(send(link, "hello")?.json == ["content-hash": .string(hash)])
        #expect(bench.dropbox.file("/linked")?.size == 5)
        #expect(send(link, "hello")?.status == 410)
        let second = bench.call(.temporaryLink, argument).json["link"].string ?? ""
        #expect(send(second, "other")?.status == 409)
        bench.now += 60
        #expect(send(second, "hello")?.status == 410)
        #expect(bench.call(.temporaryLink, ["commit_info": ["path": "/a"], "duration": 59]).status == 400)
        #expect(bench.segments.count == 1)
    }

    @Test mutating func `content_hash may be missing from metadata`() {
        bench.dropbox.rules.tellsContentHash = false
        #expect(upload("/a", "x").json["content_hash"] == .null)
        #expect(bench.call(.getMetadata, ["path": "/a"]).json["content_hash"] == .null)
    }
}
