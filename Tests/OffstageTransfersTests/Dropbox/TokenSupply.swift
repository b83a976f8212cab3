// SPDX-License-Identifier: Apache-2.0
import DropboxEmulator
import OffstageCore
import OffstageTestSupport
import OffstageTransfers

/// Supplies a queue with the tokens of the emulator's main account, at once or on demand.
final class TokenSupply: Sendable {
    private struct State: Sendable {
        var holds = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var asked = 0
        var rejected = 0
        var token: String?
        var failure: TransferFailure?
    }

    private let emulator: DropboxEmulatorServer
    private let state = Monitor(State())

    init(_ emulator: DropboxEmulatorServer) { self.emulator = emulator }

    /// How often a token was requested to replace a refused one.
    var rejected: Int { state.withLock { $0.rejected } }

    /// Holds all requests.
    func hold() { state.withLock { $0.holds = true } }

    /// Gives the waiting requests their tokens, or fails them.
    func release(failing failure: TransferFailure? = nil) {
        let waiting = state.withLock { state in
            state.holds = false
            state.failure = failure
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.resume() }
    }

    /// Waits until a request for a token is waiting.
    func waitUntilAsked() throws {
        guard state.wait(TimeLimit(seconds: 60), until: { $0.waiting.isEmpty ? nil : true }) == true else {
            throw TestError("Nobody has asked for a token.")
        }
    }

    func token(_ account: String, rejecting: String?) async -> Result<GrantedToken, TransferFailure> {
        await withCheckedContinuation { continuation in
            let isHeld = state.withLock { state in
                if state.holds { state.waiting.append(continuation) }
                return state.holds
            }
            if !isHeld { continuation.resume() }
        }
        let emulator = emulator
        return state.withLock { state in
            state.asked += 1
            if let failure = state.failure { return .failure(failure) }
            if rejecting != nil { state.rejected += 1 }
            if state.token == nil || state.token == rejecting { state.token = emulator.issueToken().access }
            return .success(GrantedToken(state.token ?? ""))
        }
    }
}
