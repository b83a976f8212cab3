// SPDX-License-Identifier: Apache-2.0
import DropboxEmulator
import OffstageTestSupport
import Testing

/// The routes by which a test in any language controls the emulator.
@Suite struct ControlTests {
    let server: DropboxEmulatorServer

    init() throws {
        server = try DropboxEmulatorServer()
    }

    private func request(_ method: String, _ path: String, _ body: String = "") throws -> EmulatorClient.Answer {
        guard let answer = try EmulatorClient(server).request(method, "/emulator/\(path)", body) else {
            throw TestError("\(path) was not answered.")
        }
        return answer
    }

    @Test func `faults are set, listed, counted and cleared`() throws {
        let rules = """
            {"seed":3,"rules":[
                {"route":"files/upload","call":2,"fault":{"kind":"lost_before"}},
                {"route":"*","probability":0.5,"times":4,"fault":{"kind":"rate_limited","retry_after":9,"plain":true}},
                {"fault":{"kind":"status","status":502,"body":"x","effect":true}}
            ]}
            """
        let set = try request("POST", "faults", rules)
        #expect(set.status == 200)
        let listed = try request("GET", "faults").json["rules"]
        #expect(listed == set.json["rules"])
        #expect(listed[0]["route"] == "files/upload")
        #expect(listed[0]["call"] == 2)
        #expect(listed[1]["fault"]["retry_after"] == 9)
        #expect(listed[1]["times"] == 4)
        #expect(listed[2]["used"] == 0)
        #expect(try request("DELETE", "faults").json["rules"] == [])
    }

    @Test func `every kind of fault is the same in JSON and in Swift`() throws {
        let faults: [DropboxFault] = [
            .lostBefore, .lostAfter, .lostBetween, .incorrectOffset(told: 5), .incorrectOffsetBy(-3),
            .rateLimited(retryAfter: 2, plain: false, reason: "too_many_write_operations"),
            .unauthorized("user_suspended"),
            .status(503, body: "b", effect: false), .error(.tag("closed"), effect: true), .sessionLost, .sessionClosed,
            .slow(latency: 0.5, bytesPerSecond: 100), .slow(latency: 1, bytesPerSecond: nil), .cut(at: 9, keep: true),
        ]
        let rules = EmulatorJSON.array(faults.map { ["fault": $0.json] })
        #expect(try request("POST", "faults", EmulatorJSON.object(["rules": rules]).text).status == 200)
        let listed = try request("GET", "faults").json["rules"].array
        #expect(listed.map { $0["fault"].text } == faults.map(\.json.text))
    }

    @Test(arguments: [
        ("faults", "{", "not JSON"), ("faults", "{}", "missing required field 'rules'"),
        ("faults", #"{"rules":[{"fault":{"kind":"x"}}]}"#, "not a kind of fault"),
        ("faults", #"{"rules":[{"route":"x","fault":{"kind":"lost_after"}}]}"#, "not a route"),
        ("faults", #"{"rules":[{"fault":{"kind":"cut"}}]}"#, "missing required field 'at'"),
        ("faults", #"{"rules":[{"fault":{"kind":"lost_after","at":1}}]}"#, "unknown field 'at'"),
        ("faults", #"{"rules":[{"fault":{"kind":"error","error":{}}}]}"#, "expected an object with '.tag'"),
        ("rules", #"{"latency":-1}"#, "negative"), ("rules", #"{"after_commit":"x"}"#, "neither"),
        ("rules", #"{"nothing":1}"#, "unknown field 'nothing'"), ("time", #"{"back":1}"#, "unknown field"),
        ("token", #"{"scopes":"x"}"#, "expected list"),
        ("faults", #"{"rules":[{"fault":{"kind":"status","status":4294967296}}]}"#, "not within range"),
        ("faults", #"{"rules":[{"fault":{"kind":"status","status":100}}]}"#, "not within range"),
        ("faults", #"{"rules":[{"fault":{"kind":"rate_limited","retry_after":10000000001}}]}"#, "is more than"),
        ("faults", #"{"rules":[{"fault":{"kind":"slow","latency":1e300}}]}"#, "is more than"),
        ("rules", #"{"token_lifetime":1e300}"#, "is more than"), ("token", #"{"lifetime":1e300}"#, "is more than"),
        ("time", #"{"advance":1e300}"#, "is more than"),
    ])
    func `what makes no sense is refused and changes nothing`(path: String, body: String, text: String) throws {
        let before = try request("GET", "rules").json
        let answer = try request("POST", path, body)
        #expect(answer.status == 400)
        #expect(answer.text.contains(text), "\(answer.text)")
        #expect(try request("GET", "rules").json == before)
        #expect(try request("GET", "faults").json["rules"] == [])
    }

    @Test func `numbers at their ends are taken, and the clock is not led beyond its own`() throws {
        let token = server.issueToken().access
        let client = try EmulatorClient(server)
        let session = try client.call(.start, [:], token: token, [1])?.json["session_id"].string ?? ""
        for (distance, told) in [(Int64.max, Int64.max), (.min, 0)] {
            let rules = #"{"rules":[{"fault":{"kind":"incorrect_offset","by":\#(distance)}}]}"#
            #expect(try request("POST", "faults", rules).status == 200)
            let cursor: EmulatorJSON = ["session_id": .string(session), "offset": 1]
            let answer = try client.call(.append, ["cursor": cursor], token: token)
            #expect(answer?.json["error"]["correct_offset"].integer == told)
        }
        #expect(try request("POST", "time", #"{"advance":1e10}"#).status == 200)
        #expect(try request("POST", "time", #"{"advance":1}"#).text.contains("too far ahead"))
        #expect(try request("POST", "reset").status == 200)
        #expect(try request("POST", "time", #"{"advance":1}"#).status == 200)
        #expect(try request("POST", "token", #"{"lifetime":1e10}"#).json["expires_in"] == 10_000_000_000)
    }

    @Test func `after a reset the person is the same, and no token or session is one of before`() throws {
        let before = try request("POST", "token").json
        #expect(try request("POST", "reset").status == 200)
        let after = try request("POST", "token").json
        #expect(after["account_id"] == before["account_id"])
        #expect(after["access_token"] != before["access_token"])
        #expect(after["refresh_token"] != before["refresh_token"])
        let old = before["access_token"].string ?? ""
        let answer = try EmulatorClient(server).call(.start, [:], token: old)
        #expect(answer?.json["error"][".tag"] == "invalid_access_token")
    }

    @Test func `rules are changed one by one`() throws {
        let change =
            #"{"latency":0.001,"after_commit":"closed","quota":5,"read_only_folders":["/a"],"keeps_prefix":true}"#
        let json = try request("POST", "rules", change).json
        #expect(json["after_commit"] == "closed")
        #expect(json["quota"] == 5)
        #expect(json["keeps_prefix"] == true)
        #expect(json["token_lifetime"] == 14_400)
        #expect(try request("GET", "rules").json == json)
        #expect(try request("POST", "reset").status == 200)
        #expect(try request("GET", "rules").json == json)
        #expect(try request("DELETE", "rules").json["quota"] == .null)
        #expect(try request("GET", "rules").json["after_commit"] == "not_found")
    }

    @Test func `a token, a call, the record and a new beginning`() throws {
        let body = #"{"account":"main","scopes":["files.content.write"],"lifetime":60}"#
        let token = try request("POST", "token", body).json
        #expect(token["expires_in"] == 60)
        #expect(token["scope"] == "files.content.write")
        let access = token["access_token"].string ?? ""
        let client = try EmulatorClient(server)
        #expect(try client.call(.upload, ["path": "/A"], token: access, Array("hello".utf8))?.status == 200)
        let record = try request("GET", "record").json
        #expect(record["calls"] == ["files/upload": 1])
        #expect(record["answers"] == ["files/upload": ["200": 1]])
        #expect(record["body_bytes"] == ["files/upload": 5])
        #expect(record["commits"] == 1)
        #expect(record["files"][0]["path"] == "/A")
        #expect(record["files"][0]["size"] == 5)
        #expect(record["files"][0]["content_hash"].string == ContentHasher.contentHash(of: Array("hello".utf8)))
        #expect(try request("POST", "time", #"{"advance":60}"#).status == 200)
        #expect(
            try client.call(.upload, ["path": "/B"], token: access)?.json["error"][".tag"] == "expired_access_token"
        )
        #expect(try request("POST", "reset").status == 200)
        #expect(try request("GET", "record").json["files"] == [])
        #expect(
            try client.call(.upload, ["path": "/B"], token: access)?.json["error"][".tag"] == "invalid_access_token"
        )
        #expect(try request("GET", "nothing").status == 404)
    }
}
