// SPDX-License-Identifier: Apache-2.0
import OffstageSupervisor
import Testing

@Suite struct `How long the machine has slept` {
    /// The reported sleep after each reading.
    private func told(_ readings: [Double]) -> [Double?] {
        var sleep = MachineSleep(suspended: 50)
        return readings.map { sleep.takeNew(suspended: $0) }
    }

    @Test func `sleep is told once`() { #expect(told([60, 60, 62]) == [10, nil, 2]) }

    @Test func `the jitter of two clocks is never told`() { #expect(told([50.05, 49, 50.0625]) == [nil, nil, nil]) }

    @Test func `what is too short to be told is not lost`() { #expect(told([50.0625, 50.125]) == [nil, 0.125]) }
}
