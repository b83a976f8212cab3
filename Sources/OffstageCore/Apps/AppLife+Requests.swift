// SPDX-License-Identifier: Apache-2.0

/// Requests of people, and of the machine when memory is short.
extension AppLife {
    mutating func foreground(_ turn: inout Turn) {
        if registration.isQuit {
            registration.isQuit = false
            turn.persists = true
        }
        guard let run else {
            turn.launches = .person
            return
        }
        if run.isEnding {
            self.run?.wantedAgain = .person
            return
        }
        switch run.phase {
        case .committing, .spawning: turnLaunchToFront(&turn)
        case .starting:
            if run.isAttached, !run.cause.isForeground || !registration.isInForeground {
                turn.act(.tell(.enterForeground))
            }
            turnLaunchToFront(&turn)
        case .front: break
        case .leaving, .entering, .running, .stopped: comeToFront(.person, &turn)
        }
    }

    /// An app that was being launched in background should be in front.
    private mutating func turnLaunchToFront(_ turn: inout Turn) {
        setStage(isInForeground: true, &turn)
        forgive(&turn)
        guard let run, !run.isAttached, !run.cause.isForeground else { return }
        // It does not know yet why it was launched; now it is for the person.
        self.run?.cause = .person
        if run.phase == .starting {
            self.run?.phaseEnds = nil
            turn.act(.setPriority(isBackground: false))
        }
    }

    mutating func launchInBackground(_ turn: inout Turn) {
        if registration.isQuit {
            registration.isQuit = false
            turn.persists = true
        }
        guard let run else {
            turn.launches = .personInBackground
            return
        }
        if run.isEnding {
            // An app that is about to come to the front does so.
            self.run?.wantedAgain = run.wantedAgain ?? .personInBackground
            return
        }
        guard run.phase == .stopped else { return }
        turn.record(.woken(.personInBackground))
        wake(.launched(.personInBackground), &turn)
    }

    /// The Home button.
    mutating func background(_ turn: inout Turn) {
        guard let run, !run.isEnding else { return }
        switch run.phase {
        case .committing, .spawning, .starting: setStage(isInForeground: false, &turn)
        case .front: goBehind(.person, &turn)
        case .leaving, .entering, .running, .stopped: break
        }
    }

    /// The person swiped it away. The code that cancels the transfers fills in the entry's count.
    mutating func quit(keepsTransfers: Bool, _ turn: inout Turn) {
        registration.isQuit = true
        // Needs of its sessions wait until the person wants the app again.
        delayedUntil = nil
        if !keepsTransfers {
            registration.owesCancellation = true
            turn.act(.cancelTransfers)
        }
        for index in works.indices { works[index].isQuit = true }
        turn.record(.quit(cancelledTransfers: 0))
        turn.persists = true
        end(.quit, &turn)
    }

    mutating func transfersCancelled(_ turn: inout Turn) {
        guard registration.owesCancellation else { return }
        registration.owesCancellation = false
        turn.persists = true
    }

    /// The system ends it; its sessions may bring it back.
    mutating func terminate(_ turn: inout Turn) { end(.terminated, &turn) }

    private mutating func end(_ reason: AppEntry.KillReason, _ turn: inout Turn) {
        setStage(isInForeground: false, &turn)
        guard let run else { return }
        self.run?.wantedAgain = nil
        guard !run.isEnding else { return }
        switch run.phase {
        case .committing:
            registration.launchToken = nil
            turn.persists = true
            endWorks(.notLaunched, &turn)
            self.run = nil
            move(to: .terminated, reason == .quit ? .person : .system, &turn)
            meetNeeds(&turn)
        case .starting, .front, .entering, .running:
            guard run.isAttached else { return kill(reason, &turn) }
            self.run?.endsBy = turn.uptime + BackgroundTimeProfile.delegateTime
            turn.record(.toldToEnd(reason))
            turn.act(.tell(.terminate))
        case .spawning, .leaving, .stopped: kill(reason, &turn)
        }
    }

    /// Only a suspended app is chosen, and it notices nothing.
    mutating func reclaim(_ turn: inout Turn) {
        guard let run, run.phase == .stopped else { return }
        kill(.memoryPressure, &turn)
    }

    mutating func warn(_ turn: inout Turn) {
        guard let run, run.isAttached, !run.isEnding else { return }
        switch run.phase {
        case .front, .entering, .running:
            turn.act(.tell(.memoryWarning))
            turn.record(.memoryWarning)
        case .committing, .spawning, .starting, .leaving, .stopped: break
        }
    }

    /// A launch by a person, or coming to the front, ends every pause.
    mutating func forgive(_ turn: inout Turn) {
        delayedUntil = nil
        guard registration.backoff != LaunchBackoff() else { return }
        registration.backoff.cameToForeground()
        turn.persists = true
    }
}
