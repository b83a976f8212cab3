// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization

/// Known damage of the store's file.
///
/// Damage found while the store is in use leaves a mark beside the file; the next start checks and repairs it.
final class StoreHealth: Sendable {
    private struct State {
        var notices: [String] = []
        var isDamaged = false
    }

    private let path: String
    private let state = Mutex(State())

    init(path: String) {
        self.path = path
    }

    /// Sentences for people, oldest first.
    var notices: [String] { state.withLock { $0.notices } }

    func add(_ notice: String) {
        state.withLock { $0.notices.append(notice) }
    }

    /// Records an error if it means that the file is damaged.
    func record(_ error: SQLiteError) {
        guard error.isDamage else { return }
        state.withLock { state in
            guard !state.isDamaged else { return }
            state.isDamaged = true
            state.notices.append(
                "Part of the store \(path) is damaged (\(error.message)): restart the daemon to have it repaired."
            )
        }
        let mark = open(Self.markPath(path), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        if mark >= 0 { Glibc.close(mark) }
    }

    /// The file whose presence makes the next start check everything.
    static func markPath(_ path: String) -> String { path + ".check" }
}
