// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTestSupport
import Testing

/// Random lives on a device where much goes wrong. `OFFSTAGE_SIMULATION_EVENTS` is the total number of events;
/// `OFFSTAGE_SIMULATION_SEED` runs only the life that a failure named.
@Suite struct AppLifeSimulationTests {
    private static let eventsInALife = 250

    @Test func `whatever goes wrong, an app runs when it should and is stopped when it may be`() {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["OFFSTAGE_SIMULATION_SEED"].flatMap(UInt64.init) {
            explain(seed)
            return
        }
        let events = environment["OFFSTAGE_SIMULATION_EVENTS"].flatMap(Int.init) ?? 60_000
        var seed: UInt64 = 1
        var count = 0
        while count < events {
            var device = SimulatedDevice(seed: seed)
            device.run(events: Self.eventsInALife)
            guard device.failure == nil else { return explain(seed) }
            count += device.eventCount
            seed += 1
        }
    }

    private func explain(_ seed: UInt64) {
        var device = SimulatedDevice(seed: seed, isTraced: true)
        device.run(events: Self.eventsInALife)
        guard let failure = device.failure else { return }
        let story = (device.trace ?? []).joined(separator: "\n")
        Issue.record("OFFSTAGE_SIMULATION_SEED=\(seed): \(failure)\n\(story)")
    }
}
