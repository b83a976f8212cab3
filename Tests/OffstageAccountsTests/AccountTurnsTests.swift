// SPDX-License-Identifier: Apache-2.0
import OffstageAccounts
import OffstageCore
import Testing

@Suite @MainActor struct `Turns to ask about accounts` {
    private let turns = AccountTurns(SocketBudget(), perProcess: ProcessBudget())
    private let budget = ProcessBudget()

    @Test func `a process has so many at a time, and the next begins when one leaves`() async throws {
        for _ in 0..<budget.accountRequests { try await turns.enter(1) }
        let next = Task { try await turns.enter(1) }
        // The task waits, or finds the turn free: either way it ends once another one has left.
        turns.leave(1)
        try await next.value
        for _ in 0..<budget.accountRequests { turns.leave(1) }
        for _ in 0..<budget.accountRequests { try await turns.enter(1) }
    }

    @Test func `another process does not wait for it`() async throws {
        for _ in 0..<budget.accountRequests { try await turns.enter(1) }
        try await turns.enter(2)
    }
}
