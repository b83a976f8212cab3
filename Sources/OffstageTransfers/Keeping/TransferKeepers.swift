// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Those who keep the memory of transfers outside of this machine, one for each fleet: what they are asked, and which
/// transfers wait for them. Nothing is done, and nothing kept, for a transfer without a keeper.
///
/// `@unchecked Sendable`: belongs to the loop, as the registry does.
final class TransferKeepers: @unchecked Sendable {
    /// A connection that keeps.
    private struct Member {
        var connection: UInt64
        var ask: @Sendable (MemoryToKeep) -> Void
    }

    /// What was asked and is not answered.
    private struct Question {
        var order: MemoryToKeep
        var attempt: Int
    }

    private let registry: TransferRegistry
    private var members: [String: Member] = [:]
    private var questions: [Int: Question] = [:]
    /// The numbers of a transfer's questions.
    private var numbers: [TransferID: Set<Int>] = [:]
    /// Transfers that wait for their keeper, by their fleets.
    private var waiting: [String: Set<TransferID>] = [:]
    private var lastNumber = 0
    /// Reports an answer to an attempt.
    private var report: (AttemptEvent, TransferID, _ attempt: Int) -> Void = { _, _, _ in }

    /// How many transfers go on at once.
    private static let atOnce = 256

    init(_ registry: TransferRegistry) { self.registry = registry }

    /// - Parameter report: reports an answer to an attempt.
    func start(_ report: @escaping (AttemptEvent, TransferID, _ attempt: Int) -> Void) { self.report = report }

    // MARK: Keepers

    /// Whether a fleet's keeper is there.
    func isAttached(_ fleet: String) -> Bool { members[fleet] != nil }

    /// A connection keeps the memory of a fleet's transfers from now on, in place of any other.
    ///
    /// - Parameters:
    ///   - connection: its number.
    ///   - fleet: the fleet.
    ///   - ask: sends it what is to be kept.
    func attach(_ connection: UInt64, to fleet: String, ask: @escaping @Sendable (MemoryToKeep) -> Void) {
        members[fleet] = Member(connection: connection, ask: ask)
        // The one before has taken its answers with it.
        for (_, question) in questions.sorted(by: { $0.key < $1.key }) where question.order.keeper.fleet == fleet {
            ask(question.order)
        }
        if let ids = waiting.removeValue(forKey: fleet) { goOn(Array(ids)) }
    }

    /// A connection has ended: what waits for its answers ends, and waits for the next keeper.
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
    ///   - isAwaited: whether a request waits for the answer, which is reported then.
    /// - Returns: whether there is somebody to ask.
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

    /// A keeper has answered. An answer of somebody who is not the keeper any more counts for nothing.
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

    /// A transfer waits for its keeper, and this is in the store. One that was refused waits for the next keeper.
    func wait(_ transfer: Transfer) {
        guard let keeper = transfer.spec.keeper, case .waiting(let wait) = transfer.state,
            case .keeper(let isRefused) = wait.cause
        else { return }
        // It may have come meanwhile.
        guard isRefused || !isAttached(keeper.fleet) else { return goOn([transfer.id]) }
        waiting[keeper.fleet, default: []].insert(transfer.id)
    }

    /// A transfer has changed: it waits for its keeper, or does not any more. That it waits is noted before it is in
    /// the store, for the next keeper may come meanwhile.
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
