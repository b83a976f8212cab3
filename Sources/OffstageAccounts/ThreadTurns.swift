// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Decides whose thread begins, and how long anybody waits for it. What does not answer holds up only those who want the
/// same.
package struct ThreadTurns: Sendable {
    /// What a thread waits for.
    package enum Purpose: Hashable, Sendable {
        /// The file with the key of the vault.
        case vault
        /// The service of an account.
        case account(String)
        /// A server that a key file of Google's names, which may be any: all key files are one purpose.
        case keyFiles
        /// A question of a person or a program to a server: the file of its authorities, which may lie on a mount that
        /// does not answer, or else the server.
        case inquiry(String)
    }

    /// Threads for one purpose at a time.
    package static let perPurpose = 4
    /// Seconds after which a question is given up. It ends by itself after 30, unless it hangs in the kernel.
    package static let patience = 45.0
    /// Seconds that a thread may take once the daemon stops: whatever is sent notices the end within about one.
    package static let moment = 5.0

    /// Somebody who waits for a turn, or for a thread.
    private struct Wait {
        var purpose: Purpose
        /// When the wait ends by itself, in seconds on the boot-time clock.
        var due: Double?
    }

    private var gate = FairGate<Purpose>(
        total: SocketBudget().accountThreads,
        perOwner: ThreadTurns.perPurpose,
        waitingPerOwner: .max
    )
    private var waits: [UInt64: Wait] = [:]
    /// Those with a thread that has not ended, whether or not anybody waits for it.
    private var running: [UInt64: Purpose] = [:]
    /// Those who no longer wait for their turn.
    private var gone: [UInt64: Purpose] = [:]
    private var isStopping = false

    package init() {}

    /// When the first wait ends by itself, in seconds on the boot-time clock; nil if none does.
    package var nextDue: Double? { waits.values.lazy.compactMap(\.due).min() }

    /// Whether somebody waits for a turn or a thread that has not been given up.
    package func isAwaited(_ ticket: UInt64) -> Bool { waits[ticket] != nil }

    /// Somebody wants a thread.
    ///
    /// - Parameters:
    ///   - ticket: a number not used before.
    ///   - purpose: what for.
    ///   - now: seconds on the boot-time clock.
    /// - Returns: whether the thread begins. It is refused if as many as there may be hang: another would hang as well.
    package mutating func enter(_ ticket: UInt64, for purpose: Purpose, now: Double) -> FairGate<Purpose>.Entry {
        guard !hangs(purpose) else { return .refused }
        let entry = gate.enter(ticket, of: purpose)
        switch entry {
        case .begins: begin(ticket, purpose, now)
        case .waits: waits[ticket] = Wait(purpose: purpose, due: isStopping ? now + Self.moment : nil)
        case .refused: break
        }
        return entry
    }

    /// A thread has ended, or could not be started.
    ///
    /// - Returns: whose thread begins.
    package mutating func ended(_ ticket: UInt64, now: Double) -> UInt64? {
        waits[ticket] = nil
        guard var left = running.removeValue(forKey: ticket) else { return nil }
        while let next = gate.leave(left) {
            if let wait = waits[next] {
                begin(next, wait.purpose, now)
                return next
            }
            guard let absent = gone.removeValue(forKey: next) else { return nil }
            left = absent
        }
        return nil
    }

    /// The daemon stops: whoever waits then has a moment.
    package mutating func stop(now: Double) {
        isStopping = true
        let due = now + Self.moment
        for (ticket, wait) in waits { waits[ticket]?.due = min(wait.due ?? due, due) }
    }

    /// Ends the waits that are due, and those for a turn that a thread which hangs will not give back.
    ///
    /// - Returns: who waited.
    package mutating func giveUp(now: Double) -> [UInt64] {
        var ended = waits.filter { $0.value.due.map { $0 <= now } ?? false }.keys.sorted()
        for ticket in ended { giveUp(ticket) }
        let others = waits.filter { running[$0.key] == nil && hangs($0.value.purpose) }.keys.sorted()
        for ticket in others { giveUp(ticket) }
        ended += others
        return ended
    }

    private mutating func giveUp(_ ticket: UInt64) {
        guard let wait = waits.removeValue(forKey: ticket) else { return }
        if running[ticket] == nil { gone[ticket] = wait.purpose }
    }

    private mutating func begin(_ ticket: UInt64, _ purpose: Purpose, _ now: Double) {
        running[ticket] = purpose
        let seconds = isStopping ? Self.moment : Self.seconds(for: purpose)
        waits[ticket] = Wait(purpose: purpose, due: seconds.map { now + $0 })
    }

    /// Nil for as long as it takes: only what may be asked again is given up, and the answer to a renewal may contain
    /// the only valid refresh token.
    private static func seconds(for purpose: Purpose) -> Double? {
        switch purpose {
        case .vault, .account, .keyFiles: nil
        case .inquiry: patience
        }
    }

    /// Whether nobody waits any more for any of the threads for a purpose.
    private func hangs(_ purpose: Purpose) -> Bool {
        running.count { $0.value == purpose && waits[$0.key] == nil } >= Self.perPurpose
    }
}
