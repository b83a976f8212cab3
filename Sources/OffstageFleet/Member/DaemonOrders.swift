// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol

/// The member's orders for its daemon, batched into one request for many transfers.
struct DaemonOrders {
    /// Rows to hand over, in the order of their leases.
    private(set) var handOvers: [FleetGrant] = []
    private var acts: [ActOnTransfers.Verb: [TransferID]] = [:]
    private var answers: [AnswerKeep.Answer] = []
    /// How often the connection to the daemon was lost. The numbers of its questions then start over.
    private(set) var life = 0
    /// The number of answers so far.
    private(set) var answersGiven = 0
    /// Ended transfers whose details are to be requested.
    private var ended: Set<TransferID> = []
    /// Transfers that may have ended, to be checked.
    private var doubtful: Set<TransferID> = []
    /// Memories to keep for rows that may no longer be this member's.
    var waiting: [MemoryToKeep] = []
    /// Whether rows are being handed over.
    var isHandingOver = false
    /// When the current check of rows' files began, in seconds on the boot-time clock; nil if there is none.
    var storageAskedAt: Double?
    /// When to ask about transfers again, after the daemon could not answer.
    private var nextQuestion = 0.0
    /// When to hand over again, after the daemon had no room or no disk space.
    var nextHandOver = 0.0

    /// The verbs in the order in which they are sent.
    static let verbs: [ActOnTransfers.Verb] = [.pause, .resume, .cancel, .release, .forget]
    /// The most transfers in one request.
    static let most = 500
    /// The most transfers in one question, as their answers may be long.
    private static let mostEnded = 50
    /// Seconds until the next question, after one that the daemon could not answer.
    private static let questionPause = 2.0
    /// Seconds after which no more rows are taken because the storage does not answer.
    private static let storagePatience = 30.0

    /// Whether the shared storage responds. A file server that is down does not respond at all.
    var storageAnswers: Bool { storageAskedAt.map { MemberClock.seconds - $0 < Self.storagePatience } ?? true }

    /// When rows are next handed over, and when the daemon is next asked; nil if nothing is pending.
    func due(canHandOver: Bool) -> [Double?] {
        let handOver = !canHandOver || handOvers.isEmpty || isHandingOver || nextHandOver <= 0 ? nil : nextHandOver
        let question = ended.isEmpty && doubtful.isEmpty || nextQuestion <= 0 ? nil : nextQuestion
        return [handOver, question]
    }

    mutating func handOver(_ grant: FleetGrant) { if !handOvers.contains(grant) { handOvers.append(grant) } }

    mutating func add(_ verb: ActOnTransfers.Verb, _ transfers: [TransferID]) {
        guard !transfers.isEmpty else { return }
        acts[verb, default: []] += transfers
    }

    mutating func answer(_ number: Int, isKept: Bool) {
        answersGiven += 1
        answers.append(.init(number: number, isKept: isKept))
    }

    mutating func ask(aboutEnded transfer: TransferID) { ended.insert(transfer) }
    mutating func ask(about transfers: [TransferID]) { doubtful.formUnion(transfers) }

    /// Removes a row that is no longer to be handed over.
    mutating func forget(_ grant: FleetGrant) { handOvers.removeAll { $0 == grant } }

    /// Discards orders and questions after the daemon was lost, except for hand-overs.
    mutating func lostDaemon() {
        (acts, answers, ended, doubtful, waiting) = ([:], [], [], [], [])
        isHandingOver = false
        life += 1
    }

    /// Takes the rows for the next request. The caller hands them over, or returns them with `handOver`.
    mutating func takeHandOvers(_ most: Int) -> [FleetGrant] {
        let some = Array(handOvers.prefix(most))
        handOvers.removeFirst(some.count)
        return some
    }

    mutating func takeAct() -> ActOnTransfers? {
        for verb in Self.verbs {
            guard let all = acts[verb], !all.isEmpty else { continue }
            let rest = Array(all.dropFirst(Self.most))
            acts[verb] = rest.isEmpty ? nil : rest
            return ActOnTransfers(verb: verb, selection: .ids(Array(all.prefix(Self.most))))
        }
        return nil
    }

    mutating func takeAnswers() -> AnswerKeep? {
        guard !answers.isEmpty else { return nil }
        let some = Array(answers.prefix(AnswerKeep.mostAnswers))
        answers.removeFirst(some.count)
        return AnswerKeep(answers: some)
    }

    /// Schedules another question after a pause, as the daemon could not answer.
    mutating func askLater(about transfers: [TransferID], areEnded: Bool, now: Double) {
        nextQuestion = now + Self.questionPause  // checked: floating point
        if areEnded { ended.formUnion(transfers) } else { doubtful.formUnion(transfers) }
    }

    /// Clears the pause if it has passed.
    mutating func heed(_ now: Double) { if nextQuestion <= now { nextQuestion = 0 } }

    mutating func takeEnded() -> [TransferID]? { nextQuestion > 0 ? nil : Self.removeSome(&ended, Self.mostEnded) }
    mutating func takeDoubtful() -> [TransferID]? {
        nextQuestion > 0 ? nil : Self.removeSome(&doubtful, Self.mostEnded)
    }

    private static func removeSome(_ all: inout Set<TransferID>, _ most: Int) -> [TransferID]? {
        guard !all.isEmpty else { return nil }
        let some = Array(all.sorted { $0.rawValue < $1.rawValue }.prefix(most))
        all.subtract(some)
        return some
    }
}
