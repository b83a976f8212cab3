// SPDX-License-Identifier: Apache-2.0
import DropboxEmulator
import Testing

/// The pace at which bodies are read, with the test's own clock.
@Suite struct BodyPaceTests {
    /// Sends pieces as fast as the pace allows.
    private func seconds(for count: Int, _ pace: inout BodyPace, from begin: Double) -> Double {
        var now = begin
        for _ in 0..<count { now += pace.receive(10_000, now: now) }
        return now - begin
    }

    @Test func `a body comes at its rate`() {
        var pace = BodyPace(rate: 1_000_000)
        #expect(abs(seconds(for: 100, &pace, from: 5) - 1) < 0.051)
    }

    @Test func `a sender that was silent does not go faster for that`() {
        var pace = BodyPace(rate: 1_000_000)
        _ = seconds(for: 10, &pace, from: 5)
        #expect(abs(seconds(for: 100, &pace, from: 500) - 1) < 0.051)
    }

    @Test func `a thread that is late by a moment makes up for it`() {
        var pace = BodyPace(rate: 1_000_000)
        var now = 5.0
        for _ in 0..<100 { now += pace.receive(10_000, now: now) + 0.004 }
        #expect(now - 5 < 1.06)
    }
}
