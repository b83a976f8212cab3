// SPDX-License-Identifier: Apache-2.0
import DropboxEmulator
import Testing

/// Calls that are refused before a route's own rules apply.
@Suite struct CallErrorTests {
    var bench = EmulatorBench()

    private func expectMalformed(_ reply: EmulatorReply, _ text: String, _ location: SourceLocation = #_sourceLocation)
    {
        #expect(reply.status == 400, sourceLocation: location)
        #expect(reply.header("Content-Type")?.hasPrefix("text/plain") == true, sourceLocation: location)
        #expect(reply.text.contains(text), "\(reply.text)", sourceLocation: location)
        #expect(reply.header("X-Dropbox-Request-Id") != nil, sourceLocation: location)
    }

    @Test(arguments: [
        (#"{"path":"/a","x":1}"#, "unknown field 'x'"), ("{}", "missing required field 'path'"),
        ("[]", "expected object, got list"), ("{", "could not decode input as JSON"),
        (#"{"path":1}"#, "path: expected string, got integer"), (#"{"path":"a"}"#, "did not match pattern"),
        (#"{"path":"ns:x"}"#, "did not match pattern"), (#"{"path":""}"#, "did not match pattern"),
        (#"{"path":"/a","mode":"other"}"#, "invalid tag \"other\""), (#"{"path":"/a","mode":1}"#, "mode: expected"),
        (#"{"path":"/a","mode":"update"}"#, "missing 'update' key"),
        (#"{"path":"/a","mode":{"tag":"add"}}"#, "missing '.tag' key"),
        (#"{"path":"/a","mode":{".tag":"update","update":"ABCDEF012"}}"#, "did not match pattern"),
        (#"{"path":"/a","mode":{".tag":"update","update":"12345678"}}"#, "did not match pattern"),
        (#"{"path":"/a","mute":"yes"}"#, "mute: expected boolean"),
        (#"{"path":"/a","client_modified":"2026-08-05 12:00"}"#, "does not match format"),
        (#"{"path":"/a","client_modified":"2026-08-05T12:00:00.5Z"}"#, "does not match format"),
        (#"{"path":"/a","client_modified":"2026-02-30T12:00:00Z"}"#, "does not match format"),
        (#"{"path":"/ü"}"#, "not ASCII"),
    ])
    func `an argument that does not fit is refused in plain text`(argument: String, text: String) {
        var bench = EmulatorBench()
        expectMalformed(bench.call(.upload, .null, headers: ["Dropbox-API-Arg": argument]), text)
        #expect(bench.dropbox.files().isEmpty)
    }

    @Test(arguments: [
        (#"{"cursor":{"session_id":"x"}}"#, "cursor: missing required field 'offset'"),
        (#"{"cursor":{"session_id":"x","offset":-1}}"#, "not within range"),
        (#"{"cursor":{"session_id":"x","offset":1.5}}"#, "cursor: offset: expected integer"),
        (#"{"cursor":"x"}"#, "expected object, got string"),
        (#"{"cursor":{"session_id":"x","offset":0,"more":1}}"#, "cursor: unknown field 'more'"),
    ])
    func `a cursor that does not fit is refused`(argument: String, text: String) {
        var bench = EmulatorBench()
        expectMalformed(bench.call(.append, .null, headers: ["Dropbox-API-Arg": argument]), text)
    }

    @Test mutating func `null stands for what is left out`() {
        let argument = #"{"path":"/a","mode":null,"content_hash":null}"#
        #expect(bench.call(.upload, .null, headers: ["Dropbox-API-Arg": argument]).status == 200)
    }

    @Test mutating func `escaped letters are letters, and a raw 0x7F is counted`() {
        let escaped = #"{"path":"/\u00fc\ud83d\ude00\u007f"}"#
        let first = bench.call(.upload, .null, headers: ["Dropbox-API-Arg": escaped])
        #expect(first.json["path_display"] == "/ü😀\u{7F}")
        #expect(bench.dropbox.record.rawDeleteCharacters == 0)
        let raw = bench.call(.upload, .null, headers: ["Dropbox-API-Arg": "{\"path\":\"/\u{7F}\"}"])
        #expect(raw.status == 200)
        #expect(bench.dropbox.record.rawDeleteCharacters == 1)
        #expect(first.json.headerText.allSatisfy { $0.isASCII && $0 != "\u{7F}" })
        #expect(first.json.headerText.contains(#"\u00fc\ud83d\ude00\u007f"#))
    }

    @Test mutating func `the argument may be in the query and may not be missing`() {
        var head = bench.head(.upload, .null)
        head.headers["dropbox-api-arg"] = nil
        expectMalformed(
            bench.send(head).reply ?? EmulatorReply(status: 0),
            "Must provide HTTP header \"Dropbox-API-Arg\""
        )
        head.query = ["arg": #"{"path":"/ü"}"#]
        #expect(bench.send(head, [1]).reply?.json["path_display"] == "/ü")
    }

    @Test mutating func `method, media type and name of a call are checked`() {
        var get = bench.head(.upload, ["path": "/a"])
        get.method = "GET"
        #expect(bench.send(get).reply?.status == 405)
        let form = ["Content-Type": "application/x-www-form-urlencoded"]
        expectMalformed(bench.call(.upload, ["path": "/a"], headers: form), "Bad HTTP \"Content-Type\" header")
        expectMalformed(bench.call(.getMetadata, ["path": "/a"], headers: form), "application/json")
        expectMalformed(bench.call(.download, ["path": "/a"], headers: form), "Bad HTTP")
        let charset = ["Content-Type": "application/json; charset=utf-8"]
        #expect(bench.call(.getMetadata, ["path": "/a"], headers: charset).status == 409)
        let unknown = EmulatorRequest(method: "POST", path: "/2/files/unknown")
        expectMalformed(
            bench.send(unknown).reply ?? EmulatorReply(status: 0),
            "Unknown API function: \"files/unknown\""
        )
        #expect(bench.send(EmulatorRequest(method: "GET", path: "/")).reply?.status == 404)
        #expect(bench.send(EmulatorRequest(method: "GET", path: "/files/upload")).reply?.status == 404)
        expectMalformed(bench.call(.checkUser, "text"), "expected object")
    }

    @Test mutating func `a token is needed, known, in time and allowed`() {
        var head = bench.head(.upload, ["path": "/a"])
        head.headers["authorization"] = nil
        expectMalformed(
            bench.send(head).reply ?? EmulatorReply(status: 0),
            "Must provide HTTP header \"Authorization\""
        )
        let basic = bench.call(.upload, ["path": "/a"], headers: ["authorization": "Basic eDp5"])
        expectMalformed(basic, "Invalid authorization value")
        let unknown = bench.call(.upload, ["path": "/a"], headers: ["authorization": "Bearer unknown"])
        #expect(unknown.status == 401)
        #expect(unknown.header("Content-Type") == "application/json")
        #expect(unknown.tag == "invalid_access_token")
        bench.now += 14_400
        #expect(bench.call(.upload, ["path": "/a"]).tag == "expired_access_token")
        let narrow = bench.dropbox.issueToken(scopes: ["files.metadata.read"], now: bench.now)
        bench.token = narrow["access_token"].string ?? ""
        let missing = bench.call(.upload, ["path": "/a"]).json["error"]
        #expect(missing == [".tag": "missing_scope", "required_scope": "files.content.write"])
        #expect(bench.call(.download, ["path": "/a"]).json["error"]["required_scope"] == "files.content.read")
        #expect(bench.call(.currentAccount, .null).json["error"]["required_scope"] == "account_info.read")
        #expect(bench.call(.getMetadata, ["path": "/a"]).tag == "path")
    }

    @Test mutating func `members and roots of others are refused`() {
        let user = bench.call(.upload, ["path": "/a"], headers: ["dropbox-api-select-user": "x"])
        #expect(user.status == 401 && user.tag == "invalid_select_user")
        let admin = bench.call(.upload, ["path": "/a"], headers: ["dropbox-api-select-admin": "x"])
        #expect(admin.tag == "invalid_select_admin")
        let namespace = bench.call(.currentAccount, .null).json["root_info"]["root_namespace_id"].string ?? ""
        func root(_ text: String) -> [String: String] { ["dropbox-api-path-root": text] }
        let other = bench.call(.upload, ["path": "/a"], headers: root(#"{".tag":"root","root":"1"}"#))
        #expect(other.status == 422)
        #expect(other.json["error"]["invalid_root"]["root_namespace_id"].string == namespace)
        let forbidden = bench.call(
            .upload,
            ["path": "/a"],
            headers: root(#"{".tag":"namespace_id","namespace_id":"1"}"#)
        )
        #expect(forbidden.status == 422 && forbidden.tag == "no_permission")
        for good in [#"{".tag":"home"}"#, #"{".tag":"root","root":"\#(namespace)"}"#] {
            #expect(bench.call(.upload, ["path": "/a"], headers: root(good)).status == 200)
        }
        #expect(bench.call(.upload, ["path": "/a"], headers: root("{")).status == 400)
        #expect(bench.call(.upload, ["path": "/a"], headers: root(#"{".tag":"x"}"#)).status == 400)
    }

    @Test mutating func `dots at the end of a summary come and go`() {
        let summaries = (0..<6).map { _ in bench.append("x", 0, "").json["error_summary"].string ?? "" }
        #expect(Set(summaries) == ["not_found/", "not_found/.", "not_found/.."])
    }

    @Test mutating func `a request to check an app or a user is echoed`() {
        #expect(bench.call(.checkUser, ["query": "hi"]).json == ["result": "hi"])
        #expect(bench.call(.checkApp, ["query": "hi"], headers: ["authorization": "Basic eDp5"]).json["result"] == "hi")
        #expect(bench.call(.checkApp, ["query": "hi"]).status == 400)
    }
}
