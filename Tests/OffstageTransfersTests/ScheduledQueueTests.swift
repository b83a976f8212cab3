// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// The settings' schedule, with a clock that is set forward.
@Suite struct ScheduledQueueTests {
    @Test func `what runs when the schedule forbids it is broken off, and goes on where it was`() async throws {
        let server = try FaultServer()
        let file = FaultFile(random: 4_000_000, seed: 1)
        let gate = FaultGate()
        defer { gate.open() }
        server.script("/slow", .file(file, holdingAfter: 1_000_000, until: gate), .file(file))
        var settings = Settings()
        settings.schedule = [ScheduleEntry(from: 11 * 60, to: 12 * 60, transfers: false)]
        let hour = Monitor(10)
        let surround: (inout TransferQueue.Environment) -> Void = { surroundings in
            let real = surroundings.now
            surroundings.now = {
                var moment = real()
                moment.wall += hour.withLock { Double($0) } * 3600
                return moment
            }
            let day = CivilDay(year: 2026, month: 5, day: 1, weekday: 6)
            surroundings.zone = CivilZone(
                time: { _ in CivilTime(day: day, hour: hour.withLock { $0 }, minute: 30, second: 0) },
                instant: { _ in nil }
            )
        }
        let harness = try QueueHarness(settings: settings, surroundings: surround)
        let id = try await harness.download(server.url("/slow"), task: 1)
        try harness.waitForProgress(ofTask: 1, beyond: 100_000)
        hour.withLock { $0 = 11 }
        harness.onLoop { $0.alarmRang() }
        let held = try #require(await harness.queue.snapshots([id]).first)
        #expect(held.transfer.state.kind == .queued, "\(held.transfer.state)")
        #expect(held.reason.cause == .held(.schedule))
        #expect(held.bytesDone > 100_000)
        hour.withLock { $0 = 12 }
        harness.onLoop { $0.alarmRang() }
        #expect(try harness.end(of: id).outcome?.isSuccess == true)
        #expect(server.requests("/slow").count == 2)
        #expect(server.requests("/slow").last?.headers["Range"] != nil)
        #expect(try TestFiles.read(harness.directory.path("task-1")) == file.bytes)
    }
}
