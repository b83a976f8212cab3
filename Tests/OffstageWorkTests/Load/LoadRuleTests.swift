// SPDX-License-Identifier: Apache-2.0
import OffstageWork
import Testing

@Suite struct `Whether the machine is busy` {
    private static func rule(_ measures: LoadRule.Measure?...) -> LoadRule {
        var rule = LoadRule()
        for measure in measures { rule.add(measure) }
        return rule
    }

    @Test func `a machine of which nothing is known is idle`() {
        #expect(!LoadRule().isBusy)
        #expect(!Self.rule(nil).isBusy)
        #expect(!Self.rule(.pressure(100), nil).isBusy)
    }

    @Test func `a fifth of the time makes it busy, and less than a tenth idle again`() {
        for hundredths in 0...10_000 {
            let percent = Double(hundredths) / 100
            #expect(Self.rule(.pressure(percent)).isBusy == (hundredths >= 2000), "\(percent) when idle")
            #expect(
                Self.rule(.pressure(100), .pressure(percent)).isBusy == (hundredths >= 1000),
                "\(percent) when busy"
            )
        }
    }

    @Test func `a program for each processor makes it busy, and less than seven for ten idle again`() {
        for hundredths in 0...400 {
            let programs = Double(hundredths) / 100
            #expect(Self.rule(.average(programs)).isBusy == (hundredths >= 100), "\(programs) when idle")
            #expect(
                Self.rule(.average(4), .average(programs)).isBusy == (hundredths >= 70),
                "\(programs) when busy"
            )
        }
    }

    @Test func `between the bounds it stays as it was, however long`() {
        var rule = LoadRule()
        for _ in 0..<100 { rule.add(.pressure(15)) }
        #expect(!rule.isBusy)
        rule.add(.pressure(20))
        for _ in 0..<100 { rule.add(.pressure(15)) }
        #expect(rule.isBusy)
        rule.add(.pressure(9.99))
        #expect(!rule.isBusy)
    }

    @Test func `the pressure of some program is read, not that of all`() {
        let text = "some avg10=12.34 avg60=56.00 avg300=78.00 total=1\nfull avg10=90.00 avg60=0.00 avg300=0.00 total=0"
        #expect(LoadRule.Measure(pressure: text) == .pressure(12.34))
    }

    @Test(arguments: ["", "some", "some avg10=", "some avg10=x", "full avg10=3.00", "some avg10=nan"])
    func `a pressure file that says something else says nothing`(_ text: String) {
        #expect(LoadRule.Measure(pressure: text) == nil)
    }

    @Test func `the load average is that of the last minute, for each processor`() {
        #expect(LoadRule.Measure(average: "3.00 1.87 2.32 1/108 8707", processors: 4) == .average(0.75))
        #expect(LoadRule.Measure(average: "3.00 1.87 2.32 1/108 8707", processors: 0) == nil)
        #expect(LoadRule.Measure(average: "", processors: 4) == nil)
        #expect(LoadRule.Measure(average: "much", processors: 4) == nil)
    }
}
