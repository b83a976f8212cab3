// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

/// The sentences of `offstage fleet why`, and the handling of nonsense in the database.
@Suite struct FleetStandingTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var sentence: String
        var requires: [String] = []
        var crowds: [FleetStanding.Crowd] = []
        var change: @Sendable (inout FleetStanding) -> Void = { _ in }
        var testDescription: String { sentence }
    }

    static let cases: [Case] = [
        Case(sentence: "waits for a member; the fleet has none"),
        Case(
            sentence: "waits for a member with label site=seoul; three are drained",
            requires: ["site=seoul"],
            crowds: [.init(standing: .drained, count: 3)]
        ),
        Case(
            sentence: "waits for a member with label site=seoul; two are drained, one is draining, 40 are silent",
            requires: ["site=seoul"],
            crowds: [
                .init(standing: .draining, count: 1), .init(standing: .drained, count: 2),
                .init(standing: .active, isSilent: true, count: 40),
                .init(standing: .active, lacking: ["site=seoul"], count: 9),
            ]
        ),
        Case(
            sentence: "waits for a member with labels disk=fast and site=seoul; two others lack label disk=fast",
            requires: ["site=seoul", "disk=fast"],
            crowds: [.init(standing: .active, lacking: ["disk=fast"], count: 2)]
        ),
        Case(
            sentence: "waits for a member with label site=seoul; seven others lack label site=seoul",
            requires: ["site=seoul"],
            crowds: [
                .init(standing: .active, lacking: ["site=seoul"], count: 4),
                .init(standing: .drained, lacking: ["site=seoul"], count: 3),
                .init(standing: .left, lacking: ["site=seoul"], count: 100),
            ]
        ),
        Case(sentence: "next in line", crowds: [.init(standing: .active, count: 1)]),
        Case(
            sentence: "in line behind 12 others; the members that may take it are busy",
            crowds: [.init(standing: .active, hasRoom: false, count: 5)],
            change: { $0.ahead = 12 }
        ),
        Case(
            sentence: "in line behind 1000 others or more",
            crowds: [.init(standing: .active, count: 5)],
            change: { $0.ahead = 1000 }
        ),
        Case(
            sentence: "8 transfers with files.example run in the fleet, the limit is 8",
            crowds: [.init(standing: .active, count: 5)],
            change: { ($0.hostLimit, $0.hostRunning) = (8, 8) }
        ),
        Case(
            sentence: "its queue 'default' is paused",
            crowds: [.init(standing: .active, count: 5)],
            change: { ($0.isQueuePaused, $0.hostLimit, $0.hostRunning) = (true, 1, 8) }
        ),
        Case(sentence: "under way at nas-3", change: { ($0.state, $0.member) = (.leased, FleetText("nas-3")) }),
        Case(
            sentence: "nobody knows whether the file has arrived: its member was lost",
            change: { ($0.state, $0.detail) = (.unknown, FleetText("its member was lost")) }
        ),
    ]

    @Test(arguments: cases) func `the sentence says what a row waits for`(one: Case) throws {
        var standing = FleetStanding(state: .waiting, host: "files.example")
        standing.requires = try #require(FleetLabels(one.requires, most: 16))
        standing.crowds = one.crowds
        one.change(&standing)
        #expect(standing.sentence == one.sentence)
    }

    @Test func `each state has advice or needs none`() {
        for state in FleetStanding.State.allCases {
            let standing = FleetStanding(state: state, host: "files.example")
            #expect(standing.advice(for: 7).hasSuffix("."), "\(state)")
            #expect(!standing.sentence.isEmpty)
        }
    }

    @Test func `advice names the row, and a queue as it is called`() {
        var standing = FleetStanding(state: .paused, queue: "VIDEO", host: "files.example")
        #expect(standing.advice(for: 7) == "'offstage fleet resume 7' lets it go on.")
        (standing.state, standing.isQueuePaused) = (.waiting, true)
        #expect(standing.advice(for: 7) == "'offstage fleet resume --queue VIDEO' lets it go on.")
    }

    private static let usual = [
        "state": "0", "queue": "default", "is_queue_paused": "f", "host": "files.example", "host_running": "0",
        "requires": "{site=seoul}", "ahead": "0", "member_state": "2", "is_silent": "f", "has_room": "f",
        "lacking": "{}",
        "members": "3",
    ]

    @Test func `what the database answers is read`() throws {
        let standing = try #require(FleetStanding([FleetRecord(Self.usual)]))
        #expect(standing.sentence == "waits for a member with label site=seoul; three are drained")
        #expect(FleetStanding([]) == nil)
    }

    @Test(arguments: [
        ["state": "99"], ["state": "-1"], ["state": "0x"], ["state": "99999999999999999999"], ["queue": "a b"],
        ["queue": ""],
        ["requires": "site=seoul"], ["requires": "{\"a b\"}"], ["requires": "{a=b,}"], ["requires": "{"],
        ["requires": "{" + String(repeating: "a=b,", count: 99) + "a=b}"],
    ]) func `a row that makes no sense is no row`(change: [String: String]) {
        #expect(FleetStanding([FleetRecord(Self.usual.merging(change) { $1 })]) == nil)
    }

    @Test func `hostile texts and numbers neither trap nor reach a terminal`() throws {
        let change = [
            "host": "\u{1B}[2Jfiles.example\u{202E}", "member": String(repeating: "x", count: 10_000), "state": "1",
            "ahead": "18446744073709551616", "host_running": "-9", "members": "1099511627776", "ready_at": "NaN",
            "detail": "\u{7}",
        ]
        let standing = try #require(FleetStanding([FleetRecord(Self.usual.merging(change) { $1 })]))
        #expect(standing.host.description == "\u{FFFD}[2Jfiles.example\u{FFFD}")
        #expect(standing.sentence.utf8.count < 100)
        #expect(standing.ahead == 0 && standing.hostRunning == 0 && standing.readyAt == nil)
        let many = Array(repeating: FleetRecord(Self.usual.merging(["members": "1099511627776"]) { $1 }), count: 20)
        #expect(try #require(FleetStanding(many)).sentence.contains("are drained"))
    }

    @Test func `labels are names and values, sorted`() {
        #expect(FleetLabels(["site=seoul", "disk=fast", "site=seoul"], most: 3)?.array == "{disk=fast,site=seoul}")
        for wrong in ["site", "=a", "a=", "a=b=c", "a b=c", "a=b\n", "é=b", "-a=b"] {
            #expect(FleetLabels([wrong], most: 3) == nil, "\(wrong)")
        }
        #expect(FleetLabels(["a=1", "b=2"], most: 1) == nil)
        #expect(FleetLabels(array: "{}", most: 1) == FleetLabels.none)
    }
}
