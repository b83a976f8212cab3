// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The invariants: those that always hold, those that may fail briefly, and those that hold when everything is at rest.
extension SimulatedDevice {
    /// Seconds within which lost orders must have been repeated often enough.
    private static let grace = 20.0
    /// Seconds that an idle app may run in background: as long as its connection may be lost, and a commit may take.
    private static let idleTime = 40.0

    /// What the rule itself promises, after every event.
    mutating func checkRule() {
        guard failure == nil, let life else { return }
        if onStage.count > 1 { fail("there are two processes of the app: \(onStage.map(\.number).sorted())") }
        if life.nextLook == nil {
            let isAtWork = life.tasksUnderWay.contains { schedule.requests[$0]?.launch.seconds == nil }
            if life.state == .background, !isAtWork { fail("it runs in background, and nobody will ever look again") }
            if life.isEnding { fail("it is ending, and nobody will ever look again") }
            if life.state == .launching, life.launchCause?.isForeground == false {
                fail("it is launched in background, and nobody will ever look again")
            }
        }
        if life.state == .terminated, life.process != nil { fail("it is terminated and has a process") }
        if life.registration.isQuit, life.launchCause == nil, life.registration.launchToken != nil {
            fail("it is launched though the person has swiped it away")
        }
    }

    /// While the machine slept, the app had no time.
    mutating func checkLateness(of reason: AppEntry.KillReason) {
        switch reason {
        case .backgroundTimeOver, .didEnterBackgroundTooLong, .eventsTooLong, .launchTooLong, .terminateTooLong,
            .taskTooLong:
            if isAlarmLate { fail("it is killed for time in which the machine slept: \(reason)") }
        case .memoryPressure, .terminated, .quit, .replaced: break
        }
    }

    mutating func checkWhatMayNotLast() {
        guard failure == nil else { return }
        checkTasks()
        let (what, limit) = whatMayNotLast() ?? ("", 0)
        if what.isEmpty {
            strayed = nil
        } else if strayed?.what != what {
            strayed = (what, time)
        } else if let strayed, time - strayed.since > limit {
            fail("\(what) for \(time - strayed.since) s")
        }
    }

    private func whatMayNotLast() -> (String, Double)? {
        guard let life, let identity = life.process, let process = processes[identity],
            !process.isLeftToShell
        else { return nil }
        switch life.state {
        case .inactive, .active: return process.isStopped ? ("it is in foreground and stopped", Self.grace) : nil
        case .suspended: return process.isStopped ? nil : ("it is suspended and runs", Self.grace)
        case .background:
            if process.isStopped { return ("it has something to do and is stopped", Self.idleTime) }
            return process.isBusy ? nil : ("it runs in background without a reason", Self.idleTime)
        case .launching, .terminated: return nil
        }
    }

    mutating func checkRest() {
        guard let life else { return fail("the daemon is not back") }
        guard agenda.nextTime == nil, life.nextLook == nil else { return fail("it does not come to rest") }
        let isQuit = life.registration.isQuit
        let isCalled = !isQuit && !isPlainProgram && life.registration.hasAttached
        if !pending.isEmpty, isCalled { fail("the wake for \(pending.sorted()) is lost") }
        if life.registration != durable, durable != nil { fail("what is durable is not what is meant") }
        if life.isEnding { fail("it is for ever ending") }
        checkTasksAtRest()
        guard let identity = life.process else {
            if life.state != .terminated { fail("it is \(life.state) without a process") }
            return
        }
        guard let process = processes[identity] else { return fail("its end was not noticed") }
        if process.isPlain { return }
        let isFront = life.registration.isInForeground
        switch life.state {
        case .active:
            if process.isStopped { fail("it rests in foreground, stopped") }
            if !isFront { fail("it rests in foreground and is meant to be in background") }
            if process.seen != .active { fail("it is active and does not know: \(process.seen)") }
        case .suspended:
            if !process.isStopped { fail("it rests suspended, running") }
            if process.seen != .background, !process.isBehindHand {
                fail("it rests suspended and does not know: \(process.seen)")
            }
            if isFront { fail("it rests suspended and is meant to be in foreground") }
        case .launching, .inactive, .background, .terminated: fail("it rests \(life.state)")
        }
    }

    var isPlainProgram: Bool { life?.process.flatMap { processes[$0]?.isPlain } ?? false }
}
