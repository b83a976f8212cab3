// SPDX-License-Identifier: Apache-2.0
package import OffstageRuntime

/// A job of the pool that hashes a part of a file for an attempt.
package protocol SourceHashing: Sendable {
    /// Raises the number of workers to `count`, if there are fewer and more can help.
    func run(on pool: WorkerPool, workers count: Int)

    /// Ends the work; hashing in progress is reported as cancelled, or not at all.
    func stop()
}
