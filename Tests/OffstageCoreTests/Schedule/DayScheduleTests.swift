// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Synchronization
import Testing

@Suite struct DayScheduleTests {
    /// Hours east of Greenwich, all year.
    private static func zone(_ hours: Int) -> CivilZone {
        // 1970-01-01 was a Thursday.
        CivilZone(
            time: { date in
                let seconds = Int(date.timeIntervalSince1970.rounded(.down)) + hours * 3600
                let days = seconds / 86_400
                return CivilTime(
                    day: CivilDay(year: 1970, month: 1, day: 1 + days, weekday: (days + 4) % 7 + 1),
                    hour: seconds % 86_400 / 3600,
                    minute: seconds % 3600 / 60,
                    second: seconds % 60
                )
            },
            instant: { time in
                // The length of a month does not matter here: days simply continue.
                let days = time.day.month == 1 ? time.day.day - 1 : 31
                let seconds = days * 86_400 + time.hour * 3600 + time.minute * 60 + time.second - hours * 3600
                return Date(timeIntervalSince1970: Double(seconds))
            }
        )
    }

    /// A time of the first week of 1970, which begins on a Thursday.
    private func at(_ day: Int, _ hour: Int, _ minute: Int = 0) -> Date {
        Date(timeIntervalSince1970: Double((day * 24 + hour) * 3600 + minute * 60))
    }

    private func entries(_ text: String) throws -> [ScheduleEntry] {
        try JSONDecoder().decode([ScheduleEntry].self, from: Data(text.utf8))
    }

    @Test func `the first entry that covers a time decides`() throws {
        let schedule = DaySchedule(
            try entries(
                """
                [{"from": "12:00", "to": "13:00", "rateLimit": 7},
                 {"from": "08:00", "to": "18:00", "rateLimit": 5},
                 {"from": "17:00", "to": "24:00", "transfers": false},
                 {"from": "00:00", "to": "01:00"}]
                """
            ),
            usualLimit: 3
        )
        let utc = Self.zone(0)
        func effect(_ hour: Int, _ minute: Int = 0) -> DaySchedule.Effect {
            schedule.effect(at: at(1, hour, minute), in: utc)
        }
        #expect(effect(7, 59) == .init(rateLimit: 3))
        #expect(effect(8) == .init(rateLimit: 5, entry: 1))
        #expect(effect(12) == .init(rateLimit: 7, entry: 0))
        #expect(effect(13) == .init(rateLimit: 5, entry: 1))
        #expect(effect(17, 30) == .init(rateLimit: 5, entry: 1))
        #expect(effect(18) == .init(rateLimit: nil, transfers: false, entry: 2))
        #expect(effect(23, 59) == .init(rateLimit: nil, transfers: false, entry: 2))
        #expect(effect(0, 30) == .init(rateLimit: nil, entry: 3))
        // The same instant in another zone.
        #expect(schedule.effect(at: at(1, 10), in: Self.zone(2)).rateLimit == 7)
    }

    @Test func `one that passes midnight belongs to the day on which it begins`() throws {
        let schedule = DaySchedule(
            try entries(#"[{"from": "22:00", "to": "06:00", "days": "fri", "rateLimit": 9}]"#),
            usualLimit: nil
        )
        let utc = Self.zone(0)
        // Day 0 is a Thursday.
        #expect(schedule.effect(at: at(0, 23), in: utc).rateLimit == nil)
        #expect(schedule.effect(at: at(1, 5), in: utc).rateLimit == nil)
        #expect(schedule.effect(at: at(1, 22), in: utc).rateLimit == 9)
        #expect(schedule.effect(at: at(2, 5, 59), in: utc).rateLimit == 9)
        #expect(schedule.effect(at: at(2, 6), in: utc).rateLimit == nil)
        #expect(schedule.effect(at: at(2, 23), in: utc).rateLimit == nil)
    }

    @Test func `entries that say the same are told apart`() throws {
        let text = [("08:00", "18:00"), ("18:00", "20:00")].map {
            #"{"from": "\#($0)", "to": "\#($1)", "rateLimit": 5}"#
        }
        let schedule = DaySchedule(try entries("[\(text.joined(separator: ","))]"), usualLimit: nil)
        // A person's setting counts until one of these entries ends.
        let utc = Self.zone(0)
        #expect(schedule.effect(at: at(1, 17), in: utc) != schedule.effect(at: at(1, 18), in: utc))
    }

    @Test func `a person's word counts until an entry begins or ends`() throws {
        let schedule = DaySchedule(
            try entries(#"[{"from": "08:00", "to": "18:00", "transfers": false}]"#),
            usualLimit: 3
        )
        let utc = Self.zone(0)
        var standing = ScheduleStanding(usualLimit: 3)
        let pause = DaySchedule.Effect(rateLimit: nil, transfers: false, entry: 0)
        #expect(standing.look(schedule, at: at(1, 9), in: utc) == pause)
        #expect(standing.until == at(1, 18) && standing.due == at(1, 10), "the zone may change meanwhile")
        standing.overrule()
        #expect(standing.isOverruled && standing.effect.transfers)
        #expect(standing.look(schedule, at: at(1, 9, 30), in: utc) == nil, "nothing is due")
        #expect(standing.look(schedule, at: at(1, 12), in: utc) == nil)
        #expect(standing.effect.transfers)
        #expect(standing.look(schedule, at: at(1, 18), in: utc) == .init(rateLimit: 3))
        #expect(!standing.isOverruled)
        // The clock was set back.
        #expect(standing.look(schedule, at: at(1, 9), in: utc) == pause)
        #expect(standing.look(DaySchedule([], usualLimit: nil), at: at(2, 0), in: utc) == nil)
    }

    @Test func `it is looked at whenever an entry begins or ends`() throws {
        let schedule = DaySchedule(
            try entries(#"[{"from": "08:00", "to": "18:00"}, {"from": "23:30", "to": "24:00"}]"#),
            usualLimit: nil
        )
        var date = at(1, 3)
        var looks: [Date] = []
        for _ in 0..<6 {
            date = try #require(schedule.nextLook(after: date, in: Self.zone(0)))
            looks.append(date)
        }
        #expect(looks == [at(1, 8), at(1, 18), at(1, 23, 30), at(2, 0), at(2, 8), at(2, 18)])
        #expect(schedule.nextLook(after: at(1, 3), in: Self.zone(-5)) == at(1, 4, 30))
    }

    private final class Conversions: Sendable {
        private let number = Mutex(0)
        var count: Int { number.withLock { $0 } }
        func add() { number.withLock { $0 += 1 } }
    }

    @Test func `of many times the next one alone is converted`() {
        let (utc, conversions) = (Self.zone(0), Conversions())
        let zone = CivilZone(
            time: utc.time,
            instant: { time in
                conversions.add()
                return utc.instant(time)
            }
        )
        let schedule = DaySchedule((0..<64).map { ScheduleEntry(from: $0 * 20, to: $0 * 20 + 10) }, usualLimit: nil)
        #expect(schedule.nextLook(after: at(1, 12, 5), in: zone) == at(1, 12, 10))
        #expect(conversions.count == 1)
        #expect(schedule.nextLook(after: at(1, 23), in: zone) == at(2, 0))
        #expect(conversions.count == 2)
    }

    @Test func `without entries, or a zone, nothing changes`() throws {
        let none = DaySchedule([], usualLimit: 4)
        #expect(none.effect(at: at(1, 8), in: Self.zone(0)) == .init(rateLimit: 4))
        #expect(none.nextLook(after: at(1, 8), in: Self.zone(0)) == nil)
        let some = DaySchedule([ScheduleEntry(from: 0, to: 1440, transfers: false)], usualLimit: 4)
        let nowhere = CivilZone(time: { _ in nil }, instant: { _ in nil })
        #expect(some.effect(at: at(1, 8), in: nowhere) == .init(rateLimit: 4))
        #expect(some.nextLook(after: at(1, 8), in: nowhere) == nil)
    }

    @Test func `days are named, one by one or from one to another`() throws {
        func days(_ text: String) throws -> Set<Int>? {
            try entries(#"[{"from": "1:00", "to": "02:00", "days": "\#(text)"}]"#)[0].days
        }
        #expect(try days("mon-fri") == [2, 3, 4, 5, 6])
        #expect(try days("Sat, sun") == [1, 7])
        #expect(try days("fri-mon") == [6, 7, 1, 2])
        #expect(try days("wed") == [4])
        let entry = ScheduleEntry(from: 65, to: 1440, days: [2, 7], rateLimit: 5, transfers: false)
        let json = try JSONEncoder().encode([entry])
        #expect(try JSONDecoder().decode([ScheduleEntry].self, from: json) == [entry])
    }

    @Test(arguments: [
        (#"{"to": "08:00"}"#, "from"), (#"{"from": "8", "to": "9"}"#, "08:00"),
        (#"{"from": "24:00", "to": "01:00"}"#, "08:00"), (#"{"from": "08:60", "to": "09:00"}"#, "08:00"),
        (#"{"from": "08:00", "to": "24:01"}"#, "08:00"), (#"{"from": "08:00", "to": "08:00"}"#, "24:00"),
        (#"{"from": "+8:00", "to": "09:00"}"#, "08:00"), (#"{"from": "08:00", "to": "٠٩:00"}"#, "08:00"),
        (#"{"from": "08:00", "to": "09:00", "days": "monday"}"#, "mon-fri"),
        (#"{"from": "08:00", "to": "09:00", "days": "mon-"}"#, "mon-fri"),
        (#"{"from": "08:00", "to": "09:00", "days": "mon-tue-wed"}"#, "mon-fri"),
        (#"{"from": "08:00", "to": "09:00", "days": ""}"#, "mon-fri"),
        (#"{"from": "08:00", "to": "09:00", "rateLimit": 0}"#, "transfers"),
        (#"{"from": "08:00", "to": "09:00", "pause": true}"#, "pause"),
        (#"{"from": "08:00", "to": "09:00", "rateLimit": 1e300}"#, "number"),
    ])
    func `a mistake is named`(entry: String, word: String) {
        let error = #expect(throws: SettingsError.self) {
            try Settings.parse(Array("{\"schedule\": [\(entry)]}".utf8), path: "/s")
        }
        #expect(error?.sentence.contains(word) == true, "\(error?.sentence ?? "")")
    }
}
