// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageRuntime
import OffstageTestSupport
import Testing

@Suite struct ChronicleRecorderTests {
    /// Swift wraps a closure that is the value of a `Mutex` each time it is read, until a call overflows the stack.
    @Test func `the time is told as well after many commits as after one`() {
        let keeper = ChronicleRecorder()
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        keeper.begin { start }
        for _ in 0..<200_000 where !keeper.take().isEmpty {}
        #expect(keeper.lasting() == [TimelineSpan(began: start, ended: start, .daemon)])
    }
}
