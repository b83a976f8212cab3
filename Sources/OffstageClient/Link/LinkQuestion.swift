// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Synchronization

/// A request whose answer an app's thread is waiting for: it connects that thread and the link's thread.
final class LinkQuestion: Sendable {
    private struct State: Sendable {
        var outcome: Result<[UInt8], OffstageError>?
        var isSent = false
    }

    /// How the wait ended.
    enum Outcome: Sendable {
        case settled(Result<[UInt8], OffstageError>)
        /// There was no answer; `isSent` is whether the daemon has the request.
        case late(isSent: Bool)
    }

    let name: String
    private let first: [UInt8]
    private let again: [UInt8]
    /// Whether to start a daemon for the request if none is running.
    let startsDaemon: Bool
    private let state = Mutex(State())
    private let settled = DispatchSemaphore(value: 0)

    /// The length of one slice of the wait, in seconds. If the process is stopped in the meantime, at most one slice
    /// counts.
    private static let slice = 0.5

    init(name: String, first: [UInt8], again: [UInt8], startsDaemon: Bool) {
        (self.name, self.first, self.again, self.startsDaemon) = (name, first, again, startsDaemon)
    }

    // MARK: - The thread that asks

    /// Waits for the answer. Time during which the whole process is stopped does not count.
    func wait(seconds: Double) -> Outcome {
        var left = seconds
        while left > 0 {
            let slice = min(left, Self.slice)
            if settled.wait(timeout: .now() + slice) == .success { break }
            left -= slice
        }
        return state.withLock { state in
            if let outcome = state.outcome { return .settled(outcome) }
            // The caller no longer waits: a later outcome is ignored.
            state.outcome = .success([])
            return .late(isSent: state.isSent)
        }
    }

    // MARK: - The link's thread

    var isSettled: Bool { state.withLock { $0.outcome != nil } }

    /// The payload to send now; from the second time on, the payload to repeat the request with.
    func send() -> [UInt8] {
        state.withLock { state in
            defer { state.isSent = true }
            return state.isSent ? again : first
        }
    }

    /// Whether a question that was sent this often may be repeated over another connection.
    static func mayRepeat(after error: OffstageError, asked: Int) -> Bool {
        asked < 2 && (error.code == .connectionLost || error.code == .shuttingDown)
    }

    func settle(_ outcome: Result<[UInt8], OffstageError>) {
        let isFirst = state.withLock { state in
            guard state.outcome == nil else { return false }
            state.outcome = outcome
            return true
        }
        if isFirst { settled.signal() }
    }
}
