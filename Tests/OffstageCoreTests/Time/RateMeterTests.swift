// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct RateMeterTests {
    @Test func `a rate needs two moments`() {
        var meter = RateMeter()
        #expect(meter.rate == 0)
        meter.add(bytes: 100, uptime: 1)
        #expect(meter.rate == 0)
        meter.add(bytes: 300, uptime: 2)
        #expect(meter.rate == 200)
    }

    @Test func `what is long ago does not count`() {
        var meter = RateMeter()
        for second in 0...100 { meter.add(bytes: Int64(second < 90 ? 0 : (second - 90) * 50), uptime: Double(second)) }
        #expect(meter.rate == 50)
    }

    @Test func `starting anew is not a negative rate`() {
        var meter = RateMeter()
        meter.add(bytes: 100, uptime: 1)
        meter.add(bytes: 0, uptime: 2)
        #expect(meter.rate == 0)
    }
}
