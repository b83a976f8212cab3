// SPDX-License-Identifier: Apache-2.0

/// Ends a process, and keeps what follows its end. Once begun, the end is not revoked.
struct AppEnding: Sendable {
    private struct Kill: Sendable {
        var reason: AppEntry.KillReason
        /// When it is requested again; nil before its record is durable.
        var again: Double?
        var delay = Self.backoff.first
        fileprivate static let backoff = Backoff(first: 0.1, longest: 5)
    }

    /// A second process that will replace this one.
    struct Newcomer: Sendable {
        var identity: ProcessIdentity
        var view: StageView
    }

    /// A newcomer in its own memory, because every app has these fields, and few have a newcomer.
    private indirect enum Waiting: Sendable {
        case nobody
        case newcomer(Newcomer)
    }

    /// `applicationWillTerminate` was called, and the process must end by then.
    private(set) var endsBy: Double?
    private var kill: Kill?
    private var waiting = Waiting.nobody
    /// How the person wants it to be launched after its end.
    var wantedAgain: LaunchCause?

    var newcomer: Newcomer? {
        get { if case .newcomer(let newcomer) = waiting { newcomer } else { nil } }
        set { waiting = newValue.map(Waiting.newcomer) ?? .nobody }
    }

    var isUnderWay: Bool { isKilled || endsBy != nil }

    /// Whether it is killed, or will be as soon as the record of the kill is durable.
    var isKilled: Bool { kill != nil }

    var killReason: AppEntry.KillReason? { kill?.reason }

    /// When the next kill is due; nil if there is none.
    var killDue: Double? { kill?.again }

    /// The process is connected, and ends itself.
    mutating func askToEnd(_ reason: AppEntry.KillReason, _ turn: inout Turn) {
        endsBy = turn.uptime + BackgroundTimeProfile.delegateTime
        turn.record(.toldToEnd(reason))
        turn.act(.send(.terminate))
    }

    /// The first reason stays: its record is made durable, and the kill follows.
    mutating func condemn(_ reason: AppEntry.KillReason, _ turn: inout Turn) {
        guard !isKilled else { return }
        kill = Kill(reason: reason)
        turn.record(.killed(reason))
        turn.persists = true
    }

    /// Its record is durable. Until the process has ended, the kill is repeated.
    mutating func orderKill(_ turn: inout Turn) {
        guard turn.registration.process != nil, var kill else { return }
        turn.act(.kill)
        kill.again = turn.uptime + kill.delay
        kill.delay = Kill.backoff.delay(following: kill.delay)
        self.kill = kill
    }

    /// Time during which the app did not run does not count against it.
    mutating func makeUp(for pause: Double) { endsBy = endsBy.map { $0 + pause } }
}
