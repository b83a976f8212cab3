// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstagePage
import OffstageProtocol
import Testing

@Suite struct PageCallTests {
    private func get(_ path: String, _ query: [String: String] = [:]) throws(PageRefusal) -> PageCall {
        try PageCall(PageRequest(path: path, query: query), body: [])
    }

    private func post(_ path: String, _ body: String) throws(PageRefusal) -> PageCall {
        try PageCall(PageRequest(method: "POST", path: path), body: Array(body.utf8))
    }

    @Test func `a part of the list`() throws {
        guard case .list(let all) = try get("/api/list") else {
            Issue.record("no list")
            return
        }
        #expect(all == TransferQuery(limit: PageBounds.rows))
        let fields = ["state": "running,waiting", "owner": "command", "text": "a b", "before": "7", "limit": "5"]
        guard case .list(let some) = try get("/api/list", fields) else {
            Issue.record("no list")
            return
        }
        #expect(
            some
                == TransferQuery(
                    kinds: [.running, .waiting],
                    owner: "command",
                    text: "a b",
                    before: TransferID(rawValue: 7),
                    limit: 5
                )
        )
        guard case .list(let oldest) = try get("/api/list", ["after": "0", "state": "failed", "limit": "1000000"])
        else {
            Issue.record("no list")
            return
        }
        #expect(oldest == TransferQuery(results: [.failed], after: TransferID(rawValue: 0), limit: PageBounds.rows))
    }

    @Test(arguments: [
        ["state": "nonsense"], ["before": "x"], ["before": "0"], ["before": "-1"], ["after": "-1"], ["limit": "0"],
        ["limit": "-5"], ["before": "99999999999999999999"],
    ])
    func `nonsense is refused`(fields: [String: String]) {
        #expect(throws: PageRefusal.content) { try get("/api/list", fields) }
    }

    @Test func `a timeline of some time`() throws {
        for (text, seconds) in [("60", 60.0), ("86400", 86_400), ("31622400", 31_622_400)] {
            guard case .timeline(seconds) = try get("/api/timeline", ["seconds": text]) else {
                Issue.record("no timeline of \(text) seconds")
                return
            }
        }
        for text in ["", "0", "59", "-60", "31622401", "1e5", "60.5", "99999999999999999999"] {
            #expect(throws: PageRefusal.content) { try get("/api/timeline", ["seconds": text]) }
        }
        #expect(throws: PageRefusal.content) { try get("/api/timeline") }
    }

    @Test func `what a fleet is asked`() throws {
        for (path, fields, wanted) in [
            ("status", [:], FleetQuestion.status), ("rows", [:], .rows(states: [], before: nil)),
            ("rows", ["state": "failed,unknown", "before": "7"], .rows(states: ["failed", "unknown"], before: 7)),
            ("show", ["id": "9"], .show(9)), ("why", ["id": "9"], .why(9)),
        ] as [(String, [String: String], FleetQuestion)] {
            guard case .fleet(wanted) = try get("/api/fleet/\(path)", fields) else {
                Issue.record("\(path) is not \(wanted)")
                return
            }
        }
        for fields in [[:], ["id": ""], ["id": "0"], ["id": "-1"], ["id": "1 2"], ["id": "--all"]] {
            #expect(throws: PageRefusal.content) { try get("/api/fleet/show", fields) }
            #expect(throws: PageRefusal.content) { try get("/api/fleet/why", fields) }
        }
        #expect(throws: PageRefusal.content) { try get("/api/fleet/rows", ["state": "--all"]) }
        #expect(throws: PageRefusal.content) { try get("/api/fleet/rows", ["before": "x"]) }
        for path in ["/api/fleet", "/api/fleet/", "/api/fleet/cancel", "/api/fleet/status/"] {
            #expect(throws: PageRefusal.notFound) { try get(path) }
        }
    }

    @Test(arguments: ["/api", "/api/", "/api/list/", "/../etc/passwd", "/page.html", "", "/API/LIST", "/open/"])
    func `there is nothing at another address`(path: String) {
        #expect(throws: PageRefusal.notFound) { try get(path) }
    }

    @Test func `changes need a POST, and questions none`() {
        #expect(throws: PageRefusal.notFound) { try get("/api/act") }
        #expect(throws: PageRefusal.notFound) { try get("/api/limit") }
        #expect(throws: PageRefusal.notFound) { try get("/api/start") }
        #expect(throws: PageRefusal.notFound) { try post("/api/list", "{}") }
    }

    @Test func `an action on some transfers, and on all`() throws {
        guard case .act(.pause, let some) = try post("/api/act", #"{"verb":"pause","ids":[3,4]}"#) else {
            Issue.record("no action")
            return
        }
        #expect(some == .ids([TransferID(rawValue: 3), TransferID(rawValue: 4)]))
        guard case .act(.forget, .all) = try post("/api/act", #"{"verb":"forget","all":true}"#) else {
            Issue.record("no action")
            return
        }
    }

    @Test(arguments: [
        "", "{", "[]", "null", #"{"verb":"pause"}"#, #"{"verb":"pause","ids":[]}"#, #"{"verb":"destroy","ids":[1]}"#,
        #"{"verb":"pause","ids":[0]}"#, #"{"verb":"pause","ids":[-1]}"#, #"{"verb":"pause","ids":["1"]}"#,
        #"{"verb":"pause","all":true,"ids":[1]}"#.replacing("[1]", with: "[]"), #"{"verb":"pause","ids":[1e30]}"#,
        #"{"ids":[1]}"#,
    ])
    func `an order that makes no sense does nothing`(body: String) {
        #expect(throws: PageRefusal.content) { try post("/api/act", body) }
    }

    @Test func `a thousand transfers at a time`() throws {
        func body(_ count: Int) -> String {
            #"{"verb":"cancel","ids":[\#((1...count).map(String.init).joined(separator: ","))]}"#
        }
        guard case .act(.cancel, _) = try post("/api/act", body(1000)) else {
            Issue.record("no action")
            return
        }
        #expect(throws: PageRefusal.content) { try post("/api/act", body(1001)) }
    }

    @Test func `limits are written as on the command line`() throws {
        guard case .limit(nil, 2_097_152) = try post("/api/limit", #"{"speed":"2M"}"#) else {
            Issue.record("no limit")
            return
        }
        guard case .limit(TransferID(rawValue: 7), nil) = try post("/api/limit", #"{"id":7,"speed":"none"}"#) else {
            Issue.record("no limit")
            return
        }
        for speed in ["", "fast", "-1", "0k", "1e9"] {
            #expect(throws: PageRefusal.content) { try post("/api/limit", #"{"speed":"\#(speed)"}"#) }
        }
    }
}
