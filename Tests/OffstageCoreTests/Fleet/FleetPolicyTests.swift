// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

@Suite struct FleetPolicyTests {
    /// The first week of 1970, in Greenwich time.
    private static let zone = CivilZone(
        time: { date in
            let seconds = Int(date.timeIntervalSince1970)
            return CivilTime(
                day: CivilDay(year: 1970, month: 1, day: 1 + seconds / 86_400, weekday: (seconds / 86_400 + 4) % 7 + 1),
                hour: seconds % 86_400 / 3600,
                minute: seconds % 3600 / 60,
                second: seconds % 60
            )
        },
        instant: { time in
            let minutes = ((time.day.day - 1) * 24 + time.hour) * 60 + time.minute
            return Date(timeIntervalSince1970: Double(minutes * 60 + time.second))
        }
    )

    /// At nine in the morning.
    private static func effect(_ texts: [String], isMetered: Bool = false) throws -> FleetPolicy.Effect {
        let policies = try texts.map { try FleetPolicy(json: $0) }
        return FleetPolicy.effect(
            of: policies,
            at: Date(timeIntervalSince1970: 9 * 3600),
            in: zone,
            isMetered: isMetered
        )
    }

    @Test func `the strictest of several rules counts`() throws {
        let both = try Self.effect([#"{"rateLimit":1000,"maximumRunning":9}"#, #"{"rateLimit":50}"#])
        #expect(both == .init(rateLimit: 50, maximumRunning: 9))
        #expect(try Self.effect([]) == .init())
        #expect(try Self.effect(["{}", #"{"paused":true}"#]).hold == .paused)
    }

    @Test func `hours let nothing run, or less`() throws {
        let night = #"{"hours":[{"from":"08:00","to":"18:00","transfers":false}]}"#
        let day = #"{"rateLimit":700,"hours":[{"from":"08:00","to":"18:00","rateLimit":900}]}"#
        #expect(try Self.effect([night]).hold == .hours)
        let limited = try Self.effect([day])
        #expect(limited.rateLimit == 700 && limited.hold == nil)
        #expect(limited.nextLook == Date(timeIntervalSince1970: 18 * 3600))
    }

    @Test func `metered networks are for those who may use them`() throws {
        #expect(try Self.effect([#"{"metered":false}"#], isMetered: true).hold == .metered)
        #expect(try Self.effect([#"{"metered":false}"#]).hold == nil)
        #expect(try Self.effect([#"{"metered":true}"#], isMetered: true).hold == nil)
    }

    @Test func `a key of a later version is passed over`() throws {
        #expect(try FleetPolicy(json: #"{"paused":true,"onlyOnTuesdays":{"deep":[1]}}"#).isPaused)
    }

    @Test(arguments: [
        "", "[]", "{", #"{"rateLimit":0}"#, #"{"rateLimit":-1}"#, #"{"rateLimit":1e400}"#,
        #"{"rateLimit":9223372036854775807}"#,
        #"{"maximumRunning":0}"#, #"{"paused":"yes"}"#, #"{"hours":[{"from":"25:00","to":"18:00"}]}"#,
        #"{"hours":"# + String(repeating: "[", count: 5000),
        #"{"hours":["# + Array(repeating: #"{"from":"08:00","to":"18:00"}"#, count: 65).joined(separator: ",") + "]}",
    ]) func `rules that make no sense are refused`(json: String) {
        #expect(throws: (any Error).self) { try FleetPolicy(json: json) }
    }

    @Test func `rules are written as they are read`() throws {
        let json =
            #"{"paused":true,"rateLimit":5,"metered":false,"hours":[{"from":"08:00","to":"18:00","days":"mon,fri"}]}"#
        let policy = try FleetPolicy(json: json)
        let text = String(decoding: try JSONEncoder().encode(policy), as: UTF8.self)
        #expect(try FleetPolicy(json: text) == policy)
    }
}
