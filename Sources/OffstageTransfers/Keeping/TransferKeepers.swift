// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The keepers of transfers' memory outside of this machine, one per fleet: their open questions, and the transfers
/// that wait for them. A transfer without a keeper causes no work and no state.
///
/// `@unchecked Sendable`: belongs to the loop, as the registry does.
final class TransferKeepers: @unchecked Sendable {
    /// A connection that is a keeper.
    private struct Member {
        var connection: UInt64
        var ask: @Sendable (MemoryToKeep) -> Void
    }

    /// A question without an answer yet.
    private struct Question {
        var order: MemoryToKeep
        var attempt: Int
    }

    private let registry: TransferRegistry
    private var members: [String: Member] = [:]
    private var questions: [Int: Question] = [:]
    /// The numbers of each transfer's questions.
    private var numbers: [TransferID: Set<Int>] = [:]
    /// Transfers that wait for their keeper, by their fleets.
    private var waiting: [String: Set<TransferID>] = [:]
    private var lastNumber = 0
    /// Reports an answer to an attempt.
    private var report: (AttemptEvent, TransferID, _ attempt: Int) -> Void = { _, _, _ in }

    /// How many transfers continue at once.
    private static let atOnce = 256

    init(_ registry: TransferRegistry) { self.registry = registry }

    /// - Parameter report: reports an answer to an attempt.
    func start(_ report: @escaping (AttemptEvent, TransferID, _ attempt: Int) -> Void) { self.report = report }

    // MARK: Keepers

    /// Whether a fleet's keeper is attached.
    func isAttached(_ fleet: String) -> Bool { members[fleet] != nil }

    /// Makes a connection the keeper of the memory of a fleet's transfers, replacing any other.
    ///
    /// - Parameters:
    ///   - connection: its number.
    ///   - fleet: the fleet.
    ///   - ask: sends it the memory to keep.
    func attach(_ connection: UInt64, to fleet: String, ask: @escaping @Sendable (MemoryToKeep) -> Void) {
        members[fleet] = Member(connection: connection, ask: ask)
        // The previous keeper's answers are lost.
        for (_, question) in questions.sorted(by: { $0.key < $1.key }) where question.order.keeper.fleet == fleet {
            ask(question.order)
        }
        if let ids = waiting.removeValue(forKey: fleet) { goOn(Array(ids)) }
    }

    /// Called when a connection has ended: attempts that wait for its answers end, and their transfers wait for the
    /// next keeper.
    func detach(_ connection: UInt64) {
        for (fleet, member) in members where member.connection == connection {
            members[fleet] = nil
            let open = questions.filter { $0.value.order.keeper.fleet == fleet }.sorted { $0.key < $1.key }
            for (number, question) in open {
                remove(number)
                if question.order.isAwaited {
                    report(.notKept(isRefused: false), question.order.id, question.attempt)
                }
            }
        }
    }

    /// Whether a connection is the keeper of any fleet.
    func isKeeper(_ connection: UInt64) -> Bool { members.values.contains { $0.connection == connection } }

    // MARK: Questions

    /// Asks a transfer's keeper to keep its dialect's memory as it is now.
    ///
    /// - Parameters:
    ///   - id: the transfer, whose attempt is under way.
    ///   - isAwaited: whether a request waits for the answer, which is then reported.
    /// - Returns: whether there is a keeper to ask.
    func ask(_ id: TransferID, isAwaited: Bool) -> Bool {
        guard let entry = registry[id], let run = entry.run, let keeper = entry.transfer.spec.keeper,
            let member = members[keeper.fleet]
        else { return false }
        lastNumber += 1  // checked: counts our own questions
        let order = MemoryToKeep(
            number: lastNumber,
            id: id,
            keeper: keeper,
            memory: entry.transfer.dialectMemory.map { Base64Bytes(bytes: $0) },
            bytesDone: run.attempt.kept ?? entry.transfer.bytesDone,
            isFirst: run.attempt.mustBeKept,
            isAwaited: isAwaited
        )
        questions[lastNumber] = Question(order: order, attempt: run.attempt.number)
        numbers[id, default: []].insert(lastNumber)
        member.ask(order)
        return true
    }

    /// Handles a keeper's answer. An answer from a connection that is no longer the keeper is ignored.
    func answered(_ number: Int, isKept: Bool, by connection: UInt64) {
        guard let question = questions[number],
            members[question.order.keeper.fleet]?.connection == connection
        else { return }
        remove(number)
        if !isKept {
            report(.notKept(isRefused: true), question.order.id, question.attempt)
        } else if question.order.isAwaited {
            report(.committed, question.order.id, question.attempt)
        }
    }

    /// Drops the questions of an attempt that is over.
    func forget(_ id: TransferID) {
        guard !numbers.isEmpty, let open = numbers.removeValue(forKey: id) else { return }
        for number in open { questions[number] = nil }
    }

    private func remove(_ number: Int) {
        guard let id = questions.removeValue(forKey: number)?.order.id else { return }
        numbers[id]?.remove(number)
        if numbers[id]?.isEmpty == true { numbers[id] = nil }
    }

    // MARK: Transfers that wait

    /// Called when a transfer waits for its keeper, and this is in the store. A refused transfer waits for the next
    /// keeper.
    func wait(_ transfer: Transfer) {
        guard let keeper = transfer.spec.keeper, case .waiting(let wait) = transfer.state,
            case .keeper(let isRefused) = wait.cause
        else { return }
        // The keeper may have attached in the meantime.
        guard isRefused || !isAttached(keeper.fleet) else { return goOn([transfer.id]) }
        waiting[keeper.fleet, default: []].insert(transfer.id)
    }

    /// Updates whether a changed transfer waits for its keeper. A wait is recorded before it is in the store, since the
    /// next keeper may attach in the meantime.
    func decided(_ transfer: Transfer) {
        guard let fleet = transfer.spec.keeper?.fleet else { return }
        if case .waiting(let wait) = transfer.state, case .keeper = wait.cause {
            waiting[fleet, default: []].insert(transfer.id)
            return
        }
        waiting[fleet]?.remove(transfer.id)
        if waiting[fleet]?.isEmpty == true { waiting[fleet] = nil }
    }

    private func goOn(_ ids: [TransferID]) {
        registry.loop.startTask {
            for start in stride(from: 0, to: ids.count, by: Self.atOnce) {
                let some = Array(ids[start..<min(start + Self.atOnce, ids.count)])
                await self.registry.load(some)
                for id in some where self.registry.step(id, { KeeperStep.attached.apply(to: &$0, now: $1) }) == nil {
                    self.registry.release(id)
                }
            }
        }
    }
}
