// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A world in which a given number of daemons, one after the other, are cut off in the middle of their work.
package struct DaemonSimulation {
    package let world: SimulatedWorld
    private let crashes: Int

    /// The result of a run.
    package struct Report: Sendable {
        package var crashes = 0
        /// Seconds elapsed in the world.
        package var elapsed = 0.0
        package var counts: [String: Int] = [:]
        package var problems: [String] = []
    }

    /// - Parameters:
    ///   - folder: an empty folder, on a file system in memory for speed.
    ///   - seed: chooses what happens; for the same seed, only names that daemons draw at random differ.
    ///   - crashes: how many daemons are cut off.
    /// - Throws: if the world's folders cannot be created.
    package init(in folder: String, seed: UInt64, crashes: Int) throws {
        world = try SimulatedWorld(in: folder, seed: seed)
        self.crashes = crashes
    }

    /// Runs until the last crash, and then one more daemon until all promises are kept.
    ///
    /// - Returns: the result.
    /// - Throws: if a daemon cannot start.
    package func run() throws -> Report {
        var report = Report()
        while report.crashes < crashes, world.problems.isEmpty {
            let cut = DaemonLifetime.Cut(commit: 1 + world.number(world.chance(8) ? 24 : 5), isAfter: world.chance(2))
            let life = try DaemonLifetime(world, cut: cut)
            let end = world.clock.elapsed + 3600
            if life.run(until: { world.clock.elapsed > end || !world.problems.isEmpty }) { report.crashes += 1 }
            life.takeApart()
        }
        if world.problems.isEmpty {
            world.isEnding = true
            let life = try DaemonLifetime(world, cut: nil)
            let end = world.clock.elapsed + 2 * 86_400
            _ = life.run(until: { world.isAtRest || world.clock.elapsed > end })
            if !world.isAtRest { world.problem("not everything that was promised is kept: \(world.unfinished)") }
            life.takeApart()
        }
        report.elapsed = world.clock.elapsed
        report.counts = world.counts
        report.problems = world.problems
        return report
    }
}
