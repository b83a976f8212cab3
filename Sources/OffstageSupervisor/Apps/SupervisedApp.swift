// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import OffstageCore
import OffstageRuntime

/// The daemon's object for a registered app. It is small while the app does not run, because there may be ten thousand.
///
/// Belongs to `AppCenter`; every call is on the loop.
package final class SupervisedApp {
    package var life: AppLife
    /// Its process, while it is held.
    var process: StageProcess?
    /// When it entered its state; nil if that was before this daemon started.
    var since: Date?
    /// The last commit that its registration is part of.
    var commit: Ledger<TransferChange>.Number = 0
    /// The state that the process reported last.
    var reported: LifeState?
    /// Whether its transfers are being cancelled.
    var isCancelling = false
    var isForgotten = false
    /// When it was last in front or woken, in seconds on the boot-time clock; 0 if that was before the machine started.
    var lastUsed = 0.0
    /// A connected process that waits to become the app's only process once the former one has ended.
    var newcomer: Newcomer?
    /// Launches that have not returned.
    var launchesUnderWay = 0
    /// How many of its processes have ended, or of its launches have failed, during this daemon.
    var endings = 0
    /// The cgroup in which its last process started, until the cgroup is removed.
    var cgroup: String?
    /// Why the last launch failed; reset by the next.
    var launchFailure: String?
    /// The number of its cancelled transfers, once they have been cancelled.
    var cancelled = 0
    /// The last reported hold, which keeps deferred work from launching or waking it.
    var toldHold: AppHold?

    package init(_ life: AppLife) { self.life = life }

    package var id: String { life.registration.id }
    /// The number of its process, if it has one.
    var processNumber: Int32? { life.registration.process?.identity.number }
}

/// An app's process: held by a pidfd, and by a connection if it has one.
final class StageProcess {
    let process: any HeldProcess
    /// Whether it leads its process group: signals then take a few system calls, and otherwise a walk over `/proc`.
    let leadsGroup: Bool
    /// The cgroup in which it started, for freezing; nil for none.
    let cgroup: String?
    var connection: AppCenter.ConnectionID?
    /// The debugger that last held it, and whether a stop was skipped because of one.
    var debugger: Int32?
    var isSpared = false
    /// Whether it was behind its terminal when it was asked to stop, and has not been continued since.
    var isStoppedBehind = false
    /// The pidfd, which reports its end.
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

/// A process that wants to become the app's.
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
    /// Whether the app is in front.
    var isInFront: Bool { self == .inactive || self == .active }
}

extension AppRegistration {
    /// Whether the existing or expected process has ended.
    func hasEnded(in later: AppRegistration) -> Bool {
        if let process { return later.process?.identity != process.identity }
        return launchToken != nil && later.launchToken != launchToken && later.process == nil
    }
}
