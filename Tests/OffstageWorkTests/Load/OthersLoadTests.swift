// SPDX-License-Identifier: Apache-2.0
import OffstageWork
import Testing

@Suite struct `What others use of the processors` {
    /// Two processors, with the seconds used by all programs and by the runs.
    private static func sample(_ time: Double, used: Double, own: Double) -> OthersLoad.Sample {
        OthersLoad.Sample(time: time, whole: time * 2, used: used, own: own)
    }

    @Test func `the runs' own time is no one else's`() {
        let before = Self.sample(100, used: 50, own: 7)
        #expect(OthersLoad.share(from: before, to: Self.sample(110, used: 70, own: 27)) == 0)
        #expect(OthersLoad.share(from: before, to: Self.sample(110, used: 70, own: 17)) == 0.5)
        #expect(OthersLoad.share(from: before, to: Self.sample(110, used: 70, own: 7)) == 1)
    }

    @Test func `clocks that do not agree make it neither less than nothing nor more than all`() {
        let before = Self.sample(100, used: 50, own: 7)
        #expect(OthersLoad.share(from: before, to: Self.sample(110, used: 50, own: 9)) == 0)
        #expect(OthersLoad.share(from: before, to: Self.sample(110, used: 90, own: 7)) == 1)
        #expect(OthersLoad.share(from: before, to: before) == nil)
    }

    @Test func `a tenth makes it high, and less than a twentieth low again`() {
        for thousandths in 0...1000 {
            let used = Double(thousandths) / 50
            var load = OthersLoad(since: Self.sample(100, used: 0, own: 0))
            load.add(Self.sample(110, used: used, own: 0))
            #expect(load.isHigh == (thousandths >= 100), "\(thousandths) when low")
            load = OthersLoad(since: Self.sample(100, used: 0, own: 0))
            load.add(Self.sample(110, used: 20, own: 0))
            load.add(Self.sample(120, used: 20 + used, own: 0))
            #expect(load.isHigh == (thousandths >= 50), "\(thousandths) when high")
        }
    }

    @Test func `less than five seconds say nothing, and are part of what comes`() {
        var load = OthersLoad(since: Self.sample(100, used: 0, own: 0))
        load.add(Self.sample(104, used: 8, own: 0))
        #expect(!load.isHigh)
        load.add(Self.sample(110, used: 8, own: 0))
        #expect(load.isHigh)
    }

    @Test func `a new beginning leaves out what was before, and what was found holds on`() {
        var load = OthersLoad(since: Self.sample(100, used: 0, own: 0))
        load.restart(at: Self.sample(110, used: 20, own: 0))
        load.add(Self.sample(120, used: 20, own: 0))
        #expect(!load.isHigh)
        load.add(Self.sample(130, used: 40, own: 0))
        load.restart(at: Self.sample(140, used: 40, own: 0))
        #expect(load.isHigh)
    }

    @Test func `where nothing is known it may be others`() {
        #expect(OthersLoad(since: nil).isHigh)
        var load = OthersLoad(since: Self.sample(100, used: 0, own: 0))
        load.add(nil)
        #expect(load.isHigh)
        load.add(Self.sample(110, used: 0, own: 0))
        load.add(Self.sample(120, used: 0, own: 0))
        #expect(!load.isHigh)
    }

    @Test func `programs' time is read, without interrupts, stolen time, and guests once more`() {
        let sample = OthersLoad.Sample(
            stat: "cpu  100 200 300 400 500 600 700 800 900 1000\ncpu0 1 2 3 4",
            uptime: "12.50 7.00",
            ticks: 100,
            own: 3
        )
        #expect(sample == OthersLoad.Sample(time: 12.5, whole: 36, used: 6, own: 3))
    }

    @Test(arguments: ["", "cpu", "cpu  1 2 3", "cpu0 1 2 3 4 5 6 7 8", "intr 1 2 3 4 5"])
    func `a file that says something else says nothing`(_ stat: String) {
        #expect(OthersLoad.Sample(stat: stat, uptime: "12.50 7.00", ticks: 100, own: 0) == nil)
        #expect(OthersLoad.Sample(stat: "cpu 1 2 3 4", uptime: stat, ticks: 100, own: 0) == nil)
    }
}
