// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageRuntime
import Synchronization

/// Checks a store's file while it is already in use, on its own thread and connection.
final class BackgroundCheck: Sendable {
    /// The connection of the check; nil before and after it.
    private struct State {
        var interruption: SQLiteInterruption?
        var isStopped = false
        var isOver = false
    }

    private final class Progress: Sendable {
        let state = Mutex(State())
    }

    private let progress = Progress()
    private let thread: SystemThread?

    /// Starts the check.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - health: is notified of damage.
    init(path: String, health: StoreHealth) {
        let progress = progress
        thread = try? SystemThread("store") {
            // Only for this thread: transfers come first.
            setpriority(Int32(PRIO_PROCESS.rawValue), 0, 19)
            do throws(SQLiteError) {
                try Self.run(path, progress)
            } catch {
                health.record(error)
            }
            progress.state.withLock { $0.isOver = true }
        }
    }

    private static func run(_ path: String, _ progress: Progress) throws(SQLiteError) {
        if progress.state.withLock({ $0.isStopped }) { return }
        let connection = try StoreOpening.connect(path)
        defer { connection.close() }
        let interruption = connection.interruption
        progress.state.withLock { $0.interruption = interruption }
        // Before the connection is closed.
        defer { progress.state.withLock { $0.interruption = nil } }
        if progress.state.withLock({ $0.isStopped }) { return }
        try StoreOpening.check(connection)
    }

    /// Interrupts the check if necessary, and returns once its connection is closed, within a few milliseconds.
    func stop() {
        guard let thread else { return }
        while !interrupt() { poll(nil, 0, Self.pause) }
        thread.join()
    }

    /// Milliseconds between two interruptions: an interruption just before a statement begins has no effect.
    private static let pause: Int32 = 2

    /// Interrupts the check; true once it is over.
    private func interrupt() -> Bool {
        progress.state.withLock { state in
            state.isStopped = true
            state.interruption?.interrupt()
            return state.isOver
        }
    }
}
