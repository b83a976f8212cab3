// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

// Prints how many bytes of memory a pending request takes, in a process that does nothing else.

/// This process's anonymous memory in bytes.
func anonymousBytes() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/smaps_rollup", encoding: .utf8)
    let line = text.split(separator: "\n").first { $0.hasPrefix("Anonymous:") }
    return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
}

let count = 100_000
let now = Moment(wall: Date(timeIntervalSince1970: 1_767_225_600), bootID: "boot", uptime: 1000)
let before = try anonymousBytes()
// On a full disk nothing is started, so all requests stay pending.
var schedule = TaskSchedule(policy: TaskPolicy(), conditions: MachineConditions(isDiskFull: true), now: now)
for number in 1...UInt64(count) {
    // A hundred apps' requests: a third are refresh tasks, and half have a begin date.
    let app = "org.example.app\(number % 100)"
    let request = TaskRequest(
        number: number,
        app: app,
        identifier: "\(app).task.\(number)",
        kind: number.isMultiple(of: 3) ? .refresh : .processing,
        earliestBegin: number.isMultiple(of: 2) ? now.wall + Double(number % 1000) : nil,
        requiresNetwork: number.isMultiple(of: 5),
        submitted: now
    )
    _ = schedule.handle(.added(TaskRecord(request: request)), now: now)
}
let bytes = try anonymousBytes() - before
print(schedule.count == count ? bytes / count : -1)
