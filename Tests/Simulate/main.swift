// SPDX-License-Identifier: Apache-2.0
import DaemonSimulation
import Glibc

// simulate-daemon FOLDER SEED CRASHES: cuts daemons off in virtual time; prints the result, and exits with 1 if
// something was lost.

let arguments = CommandLine.arguments
guard arguments.count == 4, let seed = UInt64(arguments[2]), let crashes = Int(arguments[3]) else {
    print("usage: simulate-daemon FOLDER SEED CRASHES")
    exit(64)
}
var start = timespec()
clock_gettime(CLOCK_MONOTONIC, &start)
let simulation = try DaemonSimulation(in: arguments[1], seed: seed, crashes: crashes)
let report = try simulation.run()
var end = timespec()
clock_gettime(CLOCK_MONOTONIC, &end)
let seconds = Double(end.tv_sec - start.tv_sec) + Double(end.tv_nsec - start.tv_nsec) / 1e9
print("seed \(seed): \(report.crashes) crashes in \(seconds) s, \(report.elapsed) s of the world")
for (name, count) in report.counts.sorted(by: { $0.key < $1.key }) { print("    \(name): \(count)") }
for problem in report.problems { print("PROBLEM \(problem)") }
if !report.problems.isEmpty {
    for line in simulation.world.log.suffix(60) { print("  log \(line)") }
    exit(1)
}
