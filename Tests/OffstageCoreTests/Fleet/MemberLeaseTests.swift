// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

/// Every event in every situation of a member's lease of 10 seconds, of which it uses 8; now is second 100.
@Suite struct MemberLeaseTests {
    enum Situation: String, CaseIterable {
        case outside, outsideConnected, joining, valid, validOffline, used, usedOffline, doubtful, doubtfulOffline, left

        var lease: MemberLease {
            var lease = MemberLease()
            func go(_ events: [MemberLease.Event], at second: Double = 99) {
                for event in events { _ = lease.handle(event, now: Fixture.moment(second)) }
            }
            switch self {
            case .outside: break
            case .outsideConnected: go([.connected, .refused])
            case .joining: go([.connected])
            case .valid: go([.connected, .joined(length: 10), .renewed(asked: Fixture.moment(99))])
            case .validOffline:
                go([.connected, .joined(length: 10), .renewed(asked: Fixture.moment(99)), .disconnected])
            case .used: go([.connected, .joined(length: 10), .renewed(asked: Fixture.moment(91))], at: 95)
            case .usedOffline:
                go([.connected, .joined(length: 10), .renewed(asked: Fixture.moment(91)), .disconnected], at: 95)
            case .doubtful: go([.connected, .joined(length: 10)])
            case .doubtfulOffline: go([.connected, .joined(length: 10), .disconnected])
            case .left: go([.connected, .leave])
            }
            return lease
        }
    }

    static let now = Fixture.moment(100)

    static let rows: [(name: String, event: MemberLease.Event, cells: [Situation: String])] = [
        (
            "connected", .connected,
            [
                .outside: "joining | join", .validOffline: "valid | renew compare",
                .usedOffline: "doubtful | halt renew compare",
                .doubtfulOffline: "doubtful | renew compare",
            ]
        ),
        (
            "disconnected", .disconnected,
            [
                .outsideConnected: "outside", .joining: "outside", .valid: "valid | wake(7)",
                .validOffline: "valid | wake(7)",
                .used: "doubtful | halt", .usedOffline: "doubtful | halt", .doubtful: "doubtful", .left: "left",
            ]
        ),
        ("joined", .joined(length: 20), [.joining: "doubtful | renew"]),
        (
            "renewed", .renewed(asked: Fixture.moment(99.5)),
            [
                .valid: "valid | wake(7.5)", .validOffline: "valid | wake(7.5)", .used: "valid | wake(7.5)",
                .usedOffline: "valid | wake(7.5)", .doubtful: "valid | goOn wake(7.5)",
                .doubtfulOffline: "valid | goOn wake(7.5)",
                    // Joining, and a lease of 30 seconds.
            ]
        ),
        (
            "renewed, as asked for before", .renewed(asked: Fixture.moment(93)),
            [
                .used: "valid | wake(1)", .usedOffline: "valid | wake(1)", .doubtful: "valid | goOn wake(1)",
                .doubtfulOffline: "valid | goOn wake(1)",
            ]
        ),
        (
            "renewed, and the answer took too long", .renewed(asked: Fixture.moment(70)),
            [.valid: "valid | renew", .used: "valid | renew", .doubtful: "doubtful | renew"]
        ),
        (
            "refused", .refused,
            [
                .joining: "outside", .valid: "joining | dropAll join", .validOffline: "outside | dropAll",
                .used: "joining | dropAll join", .usedOffline: "outside | dropAll", .doubtful: "joining | dropAll join",
                .doubtfulOffline: "outside | dropAll",
            ]
        ),
        (
            "time", .time,
            [
                .valid: "valid | wake(7)", .validOffline: "valid | wake(7)", .used: "doubtful | halt renew",
                .usedOffline: "doubtful | halt",
            ]
        ),
        (
            "leave", .leave,
            [
                .outside: "left", .outsideConnected: "left", .joining: "left | dropAll", .valid: "left | dropAll",
                .validOffline: "left | dropAll", .used: "left | dropAll", .usedOffline: "left | dropAll",
                .doubtful: "left | dropAll", .doubtfulOffline: "left | dropAll",
            ]
        ),
    ]

    private static func name(_ lease: MemberLease) -> String {
        switch lease.state {
        case .outside: "outside"
        case .joining: "joining"
        case .valid: "valid"
        case .doubtful: "doubtful"
        case .left: "left"
        }
    }

    private static func name(_ action: MemberLease.Action) -> String {
        switch action {
        case .join: "join"
        case .renew: "renew"
        case .compare: "compare"
        case .halt: "halt"
        case .goOn: "goOn"
        case .dropAll: "dropAll"
        case .wake(let seconds): seconds.rounded() == seconds ? "wake(\(Int(seconds)))" : "wake(\(seconds))"
        }
    }

    @Test func `every event in every situation leads where the table says`() {
        for (name, event, cells) in Self.rows {
            for situation in Situation.allCases {
                var lease = situation.lease
                let before = lease
                let actions = lease.handle(event, now: Self.now).map(Self.name)
                let done =
                    actions.isEmpty ? Self.name(lease) : "\(Self.name(lease)) | " + actions.joined(separator: " ")
                let isUnchanged = lease == before && actions.isEmpty
                #expect(
                    isUnchanged ? cells[situation] == nil : cells[situation] == done,
                    "\(name), \(situation): \(done)"
                )
            }
        }
    }

    @Test func `requests are permitted only while the lease is valid`() {
        for situation in Situation.allCases {
            let isPermitted = situation.lease.permitsRequests(at: Self.now)
            #expect(isPermitted == [.valid, .validOffline].contains(situation), "\(situation)")
        }
    }

    @Test func `a machine that slept or was started anew relies on nothing`() {
        var lease = Situation.valid.lease
        #expect(lease.handle(.time, now: Fixture.moment(5000)) == [.halt, .renew])
        lease = Situation.valid.lease
        #expect(lease.handle(.time, now: Fixture.moment(5000, boot: "boot-2")) == [.halt, .renew])
    }

    @Test(arguments: [-1, 0, .nan, .infinity, 1e300]) func `a length that makes no sense becomes one that does`(
        length: Double
    ) {
        var lease = MemberLease()
        _ = lease.handle(.connected, now: Self.now)
        _ = lease.handle(.joined(length: length), now: Self.now)
        #expect((1.0...3600).contains(lease.length))
    }

    @Test func `a process that comes back goes on with its lease, and stops at its end`() {
        let asked = Fixture.moment(95)
        func step(_ lease: inout MemberLease, _ event: MemberLease.Event, at second: Double) -> [MemberLease.Action] {
            lease.handle(event, now: Fixture.moment(second))
        }
        var lease = MemberLease(resuming: 10, until: Deadline(setAt: asked, delay: 8))
        #expect(lease.permitsRequests(at: Self.now) && !lease.permitsRequests(at: Fixture.moment(103)))
        let connected = step(&lease, .connected, at: 100)
        let over = step(&lease, .time, at: 103)
        let renewed = step(&lease, .renewed(asked: Fixture.moment(103)), at: 103)
        #expect(connected == [.renew, .compare] && over == [.halt, .renew] && renewed == [.goOn, .wake(after: 8)])
        #expect(lease.deadline == Deadline(setAt: Fixture.moment(103), delay: 8))
        var late = MemberLease(resuming: 10, until: Deadline(setAt: asked, delay: 8))
        let halted = step(&late, .time, at: 110)
        #expect(halted == [.halt])
        var unknown = MemberLease(resuming: 10, until: nil)
        #expect(!unknown.permitsRequests(at: Self.now) && unknown.deadline == nil)
        let asks = step(&unknown, .connected, at: 100)
        let fenced = step(&unknown, .refused, at: 100)
        #expect(asks == [.renew, .compare] && fenced == [.dropAll, .join])
    }
}
