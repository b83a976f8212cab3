// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import OffstageCore
import OffstageRuntime

/// A registered app as the daemon has it in its hands: little for one that does not run, since there may be ten thousand.
///
/// Belongs to `AppCenter`; every call is on the loop.
package final class SupervisedApp {
    package var life: AppLife
    /// Its process, as long as that is held.
    var process: StageProcess?
    /// When it came into its state; nil when that was before this daemon.
    var since: Date?
    /// The last commit that its registration is part of.
    var commit: Ledger<TransferChange>.Number = 0
    /// The state that the process reported last.
    var reported: LifeState?
    /// Whether its transfers are being cancelled.
    var isCancelling = false
    var isForgotten = false
    /// When it was last in front or woken, in seconds on the boot-time clock; 0 when that was before the machine started.
    var lastUsed = 0.0
    /// A process that has connected and is not the app's one yet: the one before has to end first.
    var newcomer: Newcomer?
    /// Launches that have not come back.
    var launchesUnderWay = 0
    /// How many processes of it have ended, or launches come to nothing, in this daemon's time.
    var endings = 0
    /// The cgroup that its last process was born in, until that is removed.
    var cgroup: String?
    /// Why the last launch failed; nil since the next.
    var launchFailure: String?
    /// How many of its transfers were cancelled, when they had been.
    var cancelled = 0
    /// What the schedule of deferred work was told last of whether it may be launched or woken.
    var toldHold: AppHold?

    package init(_ life: AppLife) { self.life = life }

    package var id: String { life.registration.id }
    /// The number of its process, if it has one.
    var processNumber: Int32? { life.registration.process?.identity.number }
}

/// An app's process: held by a pidfd, and by a connection while it has one.
final class StageProcess {
    let process: any HeldProcess
    /// Whether it leads its process group: then signals are a few system calls, else a walk over `/proc`.
    let leadsGroup: Bool
    /// The cgroup that it was born in, to be frozen by; nil without one.
    let cgroup: String?
    var connection: AppCenter.ConnectionID?
    /// The debugger that was found to hold it last, and whether a stop was left out on account of one.
    var debugger: Int32?
    var isSpared = false
    /// Whether it was behind its terminal when it was told to stop, and has not been told to go on since.
    var isStoppedBehind = false
    /// The pidfd, which tells its end.
    var watch: EventLoop.Watch?

    init(_ process: any HeldProcess, cgroup: String? = nil, connection: AppCenter.ConnectionID? = nil) {
        self.process = process
        self.cgroup = cgroup
        self.connection = connection
        leadsGroup = process.leadsGroup
    }

    var identity: ProcessIdentity { process.identity }
    var target: SignalTarget { SignalTarget(process: process, cgroup: cgroup) }
}

/// A process that has asked to be the app's.
final class Newcomer {
    let stage: StageProcess
    let facts: AppFacts
    let connection: AppCenter.ConnectionID
    var isRefused = false

    init(_ stage: StageProcess, facts: AppFacts, connection: AppCenter.ConnectionID) {
        self.stage = stage
        self.facts = facts
        self.connection = connection
    }
}

extension LifeState {
    /// Whether a person has the app before them.
    var isInFront: Bool { self == .inactive || self == .active }
}

extension AppRegistration {
    /// Whether the process that there was, or the one that was about to be, is no more.
    func hasEnded(in later: AppRegistration) -> Bool {
        if let process { return later.process?.identity != process.identity }
        return launchToken != nil && later.launchToken != launchToken && later.process == nil
    }
}
