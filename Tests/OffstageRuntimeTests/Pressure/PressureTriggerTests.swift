// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageRuntime
import OffstageTestSupport
import Testing

@Suite struct `The kernel's report of pressure` {
    private static let isThere = PressureTrigger(path: "/proc/pressure/cpu", stall: 400_000) != nil

    @Test func `where the kernel reports nothing there is no trigger`() {
        #expect(PressureTrigger(path: "/nowhere/cpu", stall: 400_000) == nil)
        #expect(PressureTrigger(path: "/proc/self/status", stall: 400_000) == nil)
    }

    @Test func `a trigger that is refused closes nothing but its own file`() throws {
        let lost = try DescriptorRival.lost {
            for _ in 0..<20_000 { #expect(PressureTrigger(path: "/proc/self/oom_score_adj", stall: 1) == nil) }
        }
        #expect(lost == 0)
    }

    @Test(.enabled(if: isThere, "needs pressure stall information"))
    func `what is measured now can be read as often as one likes`() throws {
        let trigger = try #require(PressureTrigger(path: "/proc/pressure/cpu", stall: 400_000))
        for _ in 0..<3 {
            let average = try #require(trigger.reading?.average10)
            #expect((0...100).contains(average))
        }
    }

    @Test func `the pressure of some program is read, not that of all`() {
        let text = "some avg10=12.34 avg60=56.00 avg300=78.00 total=1\nfull avg10=90.00 avg60=0.00 avg300=0.00 total=0"
        #expect(PressureReading(text)?.average10 == 12.34)
    }

    @Test(arguments: ["", "some", "some avg10=", "some avg10=x", "full avg10=3.00", "some avg10=nan", "some avg10=inf"])
    func `a file that says something else says nothing`(_ text: String) {
        #expect(PressureReading(text) == nil)
    }
}
