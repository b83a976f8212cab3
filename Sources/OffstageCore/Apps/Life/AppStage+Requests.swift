// SPDX-License-Identifier: Apache-2.0

/// Requests of people, and of the machine when memory is short, that do not end the process.
extension AppStage {
    mutating func foreground(_ turn: inout Turn) {
        isWanted(&turn)
        guard let run else {
            turn.launches = .person
            return
        }
        if run.ending.isUnderWay {
            self.run?.ending.wantedAgain = .person
            return
        }
        switch run.phase {
        case .committing, .spawning: turnLaunchToFront(&turn)
        case .starting:
            if run.isAttached, !run.cause.isForeground || !turn.registration.isInForeground {
                turn.act(.send(.enterForeground))
            }
            turnLaunchToFront(&turn)
        case .front: break
        case .leaving, .entering, .running, .stopped: comeToFront(.person, &turn)
        }
    }

    mutating func launchInBackground(_ turn: inout Turn) {
        isWanted(&turn)
        guard let run else {
            turn.launches = .personInBackground
            return
        }
        if run.ending.isUnderWay {
            // An app that is about to come to the front does so.
            self.run?.ending.wantedAgain = run.ending.wantedAgain ?? .personInBackground
            return
        }
        guard run.phase == .stopped else { return }
        turn.record(.woken(.personInBackground))
        wake(.launched(.personInBackground), &turn)
    }

    /// A person wants it, whatever happened before.
    private func isWanted(_ turn: inout Turn) {
        guard turn.registration.isQuit else { return }
        turn.registration.isQuit = false
        turn.persists = true
    }

    /// The Home button.
    mutating func background(_ turn: inout Turn) {
        guard let run, !run.ending.isUnderWay else { return }
        switch run.phase {
        case .committing, .spawning, .starting: setPlace(isInForeground: false, &turn)
        case .front: goBehind(.person, &turn)
        case .leaving, .entering, .running, .stopped: break
        }
    }

    /// Only a suspended app is chosen, and it notices nothing.
    mutating func reclaim(_ turn: inout Turn) {
        if run?.phase == .stopped { kill(.memoryPressure, &turn) }
    }

    mutating func warn(_ turn: inout Turn) {
        guard let run, run.isAttached, !run.ending.isUnderWay else { return }
        switch run.phase {
        case .front, .entering, .running:
            turn.act(.send(.memoryWarning))
            turn.record(.memoryWarning)
        case .committing, .spawning, .starting, .leaving, .stopped: break
        }
    }
}
