// SPDX-License-Identifier: Apache-2.0

/// Requests to end the process.
extension AppLife {
    /// The person swiped it away. The code that cancels the transfers fills in the entry's count.
    mutating func quit(keepsTransfers: Bool, _ turn: inout Turn) {
        turn.registration.isQuit = true
        // The needs of its sessions wait until the person wants the app again.
        stage.needs.postpone(until: nil)
        if !keepsTransfers {
            turn.registration.owesCancellation = true
            turn.act(.cancelTransfers)
        }
        stage.tasks.appWasQuit()
        turn.record(.quit(cancelledTransfers: 0))
        turn.persists = true
        end(.quit, &turn)
    }

    mutating func transfersCancelled(_ turn: inout Turn) {
        guard turn.registration.owesCancellation else { return }
        turn.registration.owesCancellation = false
        turn.persists = true
    }

    /// The system ends it; its sessions may bring it back.
    mutating func terminate(_ turn: inout Turn) { end(.terminated, &turn) }

    private mutating func end(_ reason: AppEntry.KillReason, _ turn: inout Turn) {
        stage.setPlace(isInForeground: false, &turn)
        guard let run = stage.run else { return }
        stage.run?.ending.wantedAgain = nil
        guard !run.ending.isUnderWay else { return }
        switch run.phase {
        case .committing:
            turn.registration.launchToken = nil
            turn.persists = true
            stage.tasks.end(.notLaunched, &turn)
            stage.move(to: .terminated, reason == .quit ? .person : .system, &turn)
            stage.clear()
            stage.meetNeeds(&turn)
        case .starting, .front, .entering, .running:
            guard run.isAttached else { return stage.kill(reason, &turn) }
            stage.run?.ending.askToEnd(reason, &turn)
        case .spawning, .leaving, .stopped: stage.kill(reason, &turn)
        }
    }
}
