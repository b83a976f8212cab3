// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// Why a transfer is not, or not yet, complete: one value that `offstage why`, `list`, the library and the logs all
/// print.
package struct Reason: Sendable, Equatable, Codable {
    /// The kind of reason.
    package enum Cause: Sendable, Equatable, Codable {
        /// An attempt is under way.
        case running
        case saving
        /// The file system with its file does not respond: the file's folder.
        case fileSystem(folder: String)
        /// It waits for its turn: the number of transfers ahead of it in its line.
        case inLine(ahead: Int)
        case hostLimit(host: String, running: Int, limit: Int)
        case totalLimit(running: Int, limit: Int)
        case network(NetworkProblem)
        /// The machine does not meet its owner's conditions.
        case held(TransferHold)
        /// A fleet's rules for this machine stop all transfers: the fleet's name.
        case heldByFleet(String, FleetPolicy.Hold)
        /// So many transfers run, and a fleet allows no more.
        case fleetLimit(fleet: String, running: Int, limit: Int)
        /// The fleet that owns the row must record its progress before anything is sent: the member is not connected,
        /// or the fleet has refused.
        case keeper(isRefused: Bool)
        case retry(TransferFailure, attempts: Int)
        case earliestBegin
        /// Another transfer must complete first, and so many others.
        case predecessor(TransferState.Predecessor, others: Int)
        case credentials(host: String)
        /// A person must sign in to its account, or give it a key.
        case account(TransferFailure)
        /// Only the app of this task can decide, and it has not been asked or has not answered.
        case appDecides(app: String, DelegateQuestion)
        case paused
        /// It was running during so many crashes of the daemon, and begins when no other such transfer runs.
        case suspected(crashes: Int)
        /// It was running during so many crashes of the daemon, and does not begin again automatically.
        case setAside(crashes: Int)
        /// Its record cannot be read; the number of crashes during attempts to read it.
        case unreadable(crashes: Int)
        /// The daemon cannot commit.
        case storeTrouble(String)
        case completed(status: Int)
        /// Nothing was sent: the server reports that the URL already exists.
        case leftOut
        case failed(TransferFailure)
        case cancelled
        /// Ended here, for another machine to continue.
        case released
    }

    package var cause: Cause
    package var since: Date
    /// The time of the next check; nil if an event decides.
    package var nextLook: Date?

    package init(cause: Cause, since: Date, nextLook: Date? = nil) {
        self.cause = cause
        self.since = since
        self.nextLook = nextLook
    }

    /// Its reason for waiting, in a few words for a table.
    package var summary: String {
        switch cause {
        case .running: "under way"
        case .saving: "all bytes have arrived; checking and saving the file"
        case .fileSystem(let folder): "waiting for the disk: \(folder.redactedControls) does not answer"
        case .inLine(let ahead): ahead == 0 ? "next in line" : "in line behind \(ahead) other\(ahead == 1 ? "" : "s")"
        case .hostLimit(let host, let running, let limit):
            "\(running) transfers with \(host) are running, the limit is \(limit)"
        case .totalLimit(let running, let limit): "\(running) transfers are running, the limit is \(limit)"
        case .network(let problem): "waiting for network: \(problem.summary)"
        case .held(let hold): hold.summary
        case .heldByFleet(let fleet, let hold): hold.summary(of: fleet)
        case .fleetLimit(let fleet, let running, let limit):
            "\(running) transfers are running, the limit of the fleet '\(fleet.redactedControls)' is \(limit)"
        case .keeper(false): "waiting for the fleet to keep where it stands: 'offstage-fleet' is not connected"
        case .keeper(true):
            "waiting for the fleet to keep where it stands: it has refused, the row is another machine's"
        case .retry(let failure, let attempts):
            "waiting to try again after attempt \(attempts): \(failure.detail)"
        case .earliestBegin: "waiting for its begin date"
        case .predecessor(let one, let others): Self.summary(of: one, others: others)
        case .credentials(let host): "waiting for credentials: \(host) answered 401"
        case .account(let failure): "waiting for its account: \(failure.detail)"
        case .appDecides(let app, .challenge(let challenge)):
            "waiting for \(app) to answer an authentication challenge of \(challenge.host)"
        case .appDecides(let app, .willBeginDelayedRequest): "waiting for \(app) to let it begin"
        case .paused: "paused"
        case .suspected(let crashes): "waiting to run alone: it was running during \(Self.crashes(crashes))"
        case .setAside(let crashes): "set aside: it was running during \(Self.crashes(crashes))"
        case .unreadable(0): "set aside: its record in the store cannot be read"
        case .unreadable(let crashes): "set aside: its record was being read during \(Self.crashes(crashes))"
        case .storeTrouble(let detail): "waiting for the store: \(detail)"
        case .leftOut: "left out: it already exists"
        case .completed(let status): "done, the server answered \(status)"
        case .failed(let failure): "failed: \(failure.detail)"
        case .cancelled: "cancelled"
        case .released: "let go: another machine of the fleet goes on with it"
        }
    }

    private static func summary(of one: TransferState.Predecessor, others: Int) -> String {
        let rest = others > 0 ? " and \(others) other\(others == 1 ? "" : "s")" : ""
        guard let end = one.end else { return "waiting for transfer \(one.id)\(rest) to complete" }
        return "waiting for transfer \(one.id)\(rest), but transfer \(one.id) \(end.summary)"
    }

    private static func crashes(_ count: Int) -> String {
        count == 1 ? "a crash of the daemon" : "\(count) crashes of the daemon"
    }

    /// A person's possible action; empty for a complete transfer.
    package var advice: String { advice(isSessionTask: false) }

    /// The advice with the transfer's number in place of `ID`.
    package func advice(for id: TransferID, isSessionTask: Bool = false) -> String {
        let words = advice(isSessionTask: isSessionTask).split(separator: " ", omittingEmptySubsequences: false)
        return words.map { word in
            word == "ID" ? "\(id)" : word.hasPrefix("ID'") ? "\(id)" + word.dropFirst(2) : String(word)
        }.joined(separator: " ")
    }

    /// A person's possible action.
    ///
    /// - Parameter isSessionTask: whether the transfer belongs to an app, and no person can restart it.
    /// - Returns: a sentence; empty for a complete transfer.
    package func advice(isSessionTask: Bool) -> String {
        switch cause {
        case .completed, .leftOut: ""
        case .running, .saving, .inLine: "Nothing needs doing."
        case .fileSystem:
            "It continues by itself once the disk, or the server that it is on, answers again: see 'mount' and the system's log."
        case .hostLimit: "Nothing needs doing; raise connectionsPerHost in the settings for more at once."
        case .totalLimit: "Nothing needs doing; raise maximumRunning in the settings for more at once."
        case .network(let problem): problem.advice
        case .held(.unknownNetwork): "Nothing needs doing."
        case .held(.schedule):
            "Nothing needs doing: it continues by itself. 'offstage limit none' lets all run until the schedule next changes."
        case .heldByFleet, .fleetLimit: "Nothing needs doing: it continues once the fleet's rules allow it."
        case .keeper(false): "Nothing needs doing once the fleet's member runs on this machine: see 'offstage fleet'."
        case .keeper(true): "Nothing needs doing: the fleet's member lets go of it."
        case .held(let hold):
            "Nothing needs doing: it continues by itself. 'offstage retry ID' no longer waits for \(hold.wanted)."
        case .retry(let failure, _):
            failure.advice(isSessionTask: isSessionTask) + " 'offstage retry ID' tries at once."
        case .earliestBegin: "Nothing needs doing; 'offstage retry ID' starts it now."
        case .predecessor(let one, _):
            switch one.end {
            case nil: "Nothing needs doing; 'offstage retry ID' starts it now."
            case .forgotten: "'offstage retry ID' starts it without that, 'offstage cancel ID' gives it up."
            case .failed, .cancelled:
                "'offstage retry \(one.id)' tries that one again, 'offstage retry ID' starts this one without it."
            }
        case .credentials: "Give new ones: offstage header set ID 'Authorization: …'"
        case .account:
            "See 'offstage account list'. Once 'offstage account add' has brought the account back, it continues by itself."
        case .appDecides: "Start the app: it is asked as soon as it has created its session."
        case .paused: "'offstage resume ID' continues it."
        case .suspected: "Nothing needs doing; please report the line that 'offstage doctor' shows."
        case .setAside:
            "'offstage retry ID' runs it once more; please report the line that 'offstage doctor' shows."
        case .unreadable:
            "'offstage retry ID' reads it once more, 'offstage cancel ID' gives it up; see 'offstage doctor'."
        case .storeTrouble: "Free some space where the store is, or see 'offstage doctor'."
        case .failed(let failure): failure.finalAdvice(isSessionTask: isSessionTask)
        case .released: "Nothing needs doing."
        case .cancelled: isSessionTask ? "The app may hand it over again." : "'offstage retry ID' restarts it."
        }
    }
}
