// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol

/// What the member wants of its daemon, for many transfers in one request each.
struct DaemonOrders {
    /// Rows to be handed over, in the order of their leases.
    private(set) var handOvers: [FleetGrant] = []
    private var acts: [ActOnTransfers.Verb: [TransferID]] = [:]
    private var answers: [AnswerKeep.Answer] = []
    /// How often the daemon has gone: the numbers of its questions begin anew then.
    private(set) var life = 0
    /// How many answers there were.
    private(set) var answersGiven = 0
    /// Ended transfers about which everything is asked.
    private var ended: Set<TransferID> = []
    /// Transfers of which it is asked whether they have ended.
    private var doubtful: Set<TransferID> = []
    /// Memories to be kept of rows of which it is not known yet whether they are still this member's.
    var waiting: [MemoryToKeep] = []
    /// Whether rows are being handed over.
    var isHandingOver = false
    /// Since when the storage is asked for the files of rows, in seconds on the boot-time clock; nil if it is not.
    var storageAskedAt: Double?
    /// When to ask about transfers again after the daemon could not answer.
    private var nextQuestion = 0.0
    /// When to hand over again after the daemon had no room or no disk.
    var nextHandOver = 0.0

    /// The verbs in the order in which they are sent.
    static let verbs: [ActOnTransfers.Verb] = [.pause, .resume, .cancel, .release, .forget]
    /// Transfers in one request.
    static let most = 500
    /// Transfers in one question: their answers may be long.
    private static let mostEnded = 50
    /// Seconds until the next question after one that the daemon could not answer.
    private static let questionPause = 2.0
    /// Seconds after which a storage that does not answer gets no more rows.
    private static let storagePatience = 30.0

    /// Whether the shared storage answers: a server of files that is gone answers nothing at all.
    var storageAnswers: Bool { storageAskedAt.map { MemberClock.seconds - $0 < Self.storagePatience } ?? true }

    /// When rows are handed over, and when the daemon is asked, again; nil if nothing waits for that.
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

    /// The row is no longer to be handed over.
    mutating func forget(_ grant: FleetGrant) { handOvers.removeAll { $0 == grant } }

    /// The daemon has gone: what it was told and asked belongs to its earlier life, except for what is to be handed over.
    mutating func lostDaemon() {
        (acts, answers, ended, doubtful, waiting) = ([:], [], [], [], [])
        isHandingOver = false
        life += 1
    }

    /// Rows of the next request; they are handed over, or come back by `handOver`.
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

    /// The daemon could not answer: it is asked again after a while.
    mutating func askLater(about transfers: [TransferID], areEnded: Bool, now: Double) {
        nextQuestion = now + Self.questionPause  // checked: floating point
        if areEnded { ended.formUnion(transfers) } else { doubtful.formUnion(transfers) }
    }

    /// Time has passed.
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
