// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Decides which thread begins, and how long it is waited for. An unresponsive purpose delays only its own callers.
package struct ThreadTurns: Sendable {
    /// What a thread waits for.
    package enum Purpose: Hashable, Sendable {
        /// The file with the key of the vault.
        case vault
        /// The service of an account.
        case account(String)
        /// A server named in a Google key file, which may be any server: all key files are one purpose.
        case keyFiles
        /// A person's or a program's query to a server: either the file of its authorities, which may be on an
        /// unresponsive mount, or the server itself.
        case inquiry(String)
    }

    /// The most threads for one purpose at a time.
    package static let perPurpose = 4
    /// Seconds after which a query is abandoned. It ends by itself after 30, unless it hangs in the kernel.
    package static let patience = 45.0
    /// Seconds that a thread may take once the daemon stops: everything being sent notices the end within about one.
    package static let moment = 5.0

    /// A wait for a turn, or for a thread.
    private struct Wait {
        var purpose: Purpose
        /// When the wait expires, in seconds on the boot-time clock.
        var due: Double?
    }

    private var gate = FairGate<Purpose>(
        total: SocketBudget().accountThreads,
        perOwner: ThreadTurns.perPurpose,
        waitingPerOwner: .max
    )
    private var waits: [UInt64: Wait] = [:]
    /// The tickets with a thread that has not ended, whether or not it is waited for.
    private var running: [UInt64: Purpose] = [:]
    /// The tickets that no longer wait for their turn.
    private var gone: [UInt64: Purpose] = [:]
    private var isStopping = false

    package init() {}

    /// When the first wait expires, in seconds on the boot-time clock; nil if none does.
    package var nextDue: Double? { waits.values.lazy.compactMap(\.due).min() }

    /// Whether a turn or a thread is still waited for, and has not been abandoned.
    package func isAwaited(_ ticket: UInt64) -> Bool { waits[ticket] != nil }

    /// Requests a thread.
    ///
    /// - Parameters:
    ///   - ticket: a number not used before.
    ///   - purpose: the purpose of the thread.
    ///   - now: seconds on the boot-time clock.
    /// - Returns: whether the thread begins. It is refused if the maximum number hang: another would hang as well.
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

    /// Records that a thread has ended, or could not be started.
    ///
    /// - Returns: the ticket whose thread begins.
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

    /// Stops the threads because the daemon is stopping: the remaining waits are limited to a moment.
    package mutating func stop(now: Double) {
        isStopping = true
        let due = now + Self.moment
        for (ticket, wait) in waits { waits[ticket]?.due = min(wait.due ?? due, due) }
    }

    /// Ends the waits that are due, and those for a turn that a hanging thread will not give back.
    ///
    /// - Returns: the tickets of these waits.
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

    /// The limit of a wait; nil for no limit. Only requests that may be repeated are abandoned: the answer to a renewal
    /// may contain the only valid refresh token.
    private static func seconds(for purpose: Purpose) -> Double? {
        switch purpose {
        case .vault, .account, .keyFiles: nil
        case .inquiry: patience
        }
    }

    /// Whether the maximum number of threads for a purpose are no longer waited for.
    private func hangs(_ purpose: Purpose) -> Bool {
        running.count { $0.value == purpose && waits[$0.key] == nil } >= Self.perPurpose
    }
}
