// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageWork
import Testing

@Suite struct CivilZoneOfThisMachineTests {
    /// In any time zone that the tests run in.
    @Test func `each hour of two years is found by its local time, the first of two that are equal`() {
        let zone = CivilZone.ofThisMachine
        let hours = (0..<2 * 366 * 24).map { Date(timeIntervalSince1970: 1_767_225_600 + Double($0) * 3600) }
        let lost = hours.filter { date in
            guard let time = zone.time(date), let found = zone.instant(time) else { return true }
            return found > date || zone.time(found) != time
        }
        #expect(lost.isEmpty, "\(lost.prefix(5))")
    }
}
