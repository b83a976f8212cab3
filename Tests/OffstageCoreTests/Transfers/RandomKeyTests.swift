// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct RandomKeyTests {
    @Test func `are UUIDs of version 4 in lower case, and no two are the same`() throws {
        let keys = (0..<1000).map { _ in RandomKey.make() }
        let form = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/
        for key in keys { #expect(key.wholeMatch(of: form) != nil, "\(key)") }
        #expect(Set(keys).count == keys.count)
    }

    @Test func `are 32 digits as markers`() {
        let marker = RandomKey.marker()
        #expect(marker.wholeMatch(of: /[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}/) != nil, "\(marker)")
        #expect(marker != RandomKey.marker())
    }

    /// Every digit other than those two takes each value, so no part of the random numbers is left out.
    @Test func `have every digit at every place`() {
        var seen = [Set<Character>](repeating: [], count: 32)
        for _ in 0..<2000 {
            for (place, digit) in RandomKey.marker().enumerated() { seen[place].insert(digit) }
        }
        #expect(seen.map(\.count) == (0..<32).map { $0 == 12 ? 1 : $0 == 16 ? 4 : 16 })
    }
}
