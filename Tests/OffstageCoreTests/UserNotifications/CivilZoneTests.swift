// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct CivilZoneTests {
    /// 2026-03-29, 01:00 UTC: clocks in Berlin go from 02:00 to 03:00.
    private static let forward: Int64 = 1_774_746_000
    /// 2026-10-25, 01:00 UTC: they go from 03:00 back to 02:00.
    private static let back: Int64 = 1_792_890_000

    private static func berlin(_ instant: Int64) -> Int64 { (forward..<back).contains(instant) ? 7200 : 3600 }

    /// Samoa skipped 30 December 2011.
    private static let leap: Int64 = 1_325_239_200
    private static func samoa(_ instant: Int64) -> Int64 { instant < leap ? -36_000 : 50_400 }

    /// Local times, and the first instant at which clocks show each.
    private static let cases: [(Int64, Int64)] = [
        // 01:59:59; 02:00, 02:30 and 02:59:59, which are skipped; and 03:00.
        (forward + 3599, forward - 1), (forward + 3600, forward), (forward + 5400, forward), (forward + 7199, forward),
        (forward + 7200, forward), (forward + 7201, forward + 1),
        // 01:59; 02:00, 02:30 and 02:59:59, which occur twice; and 03:00.
        (back + 3540, back - 3660), (back + 3600, back - 3600), (back + 5400, back - 1800), (back + 7199, back - 1),
        (back + 7200, back + 3600),
        // In the middle of winter and of summer.
        (forward - 8_000_000, forward - 8_003_600), (forward + 8_000_000, forward + 7_992_800),
    ]

    @Test(arguments: cases)
    func `a local time is found at its first instant, and one that is left out behind the gap`(
        reading: Int64,
        instant: Int64
    ) {
        #expect(CivilZone.firstInstant(showing: reading, ahead: Self.berlin) == instant)
    }

    @Test func `a day that is left out ends at once`() {
        for hour: Int64 in 0..<24 {
            let reading = Self.leap - 36_000 + hour * 3600
            #expect(CivilZone.firstInstant(showing: reading, ahead: Self.samoa) == Self.leap)
        }
    }

    @Test func `a zone without summer time is asked a few times`() {
        var questions = 0
        let found = CivilZone.firstInstant(showing: 1_795_422_615) { _ in
            questions += 1
            return 19_800
        }
        #expect(found == 1_795_402_815 && questions <= 3)
        #expect(CivilZone.firstInstant(showing: 0, ahead: { _ in nil }) == nil)
    }

    @Test(arguments: [Int64.min, .max])
    func `a time at the end of the world is no trap`(reading: Int64) {
        _ = CivilZone.firstInstant(showing: reading, ahead: Self.berlin)
        _ = CivilZone.firstInstant(showing: reading, ahead: Self.samoa)
    }
}
