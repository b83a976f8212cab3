// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// News of a transfer that a person wants to see on the desktop.
package struct TransferNews: Sendable, Equatable {
    package enum Event: Sendable, Equatable {
        case completed
        /// Nothing was sent: the target already existed.
        case leftOut
        case failed(TransferFailure)
        /// It waits for a person.
        case needsPerson(Reason.Cause)
    }

    package var id: TransferID
    package var isUpload: Bool
    /// The file's name.
    package var name: String
    /// The destination or source, without secrets.
    package var place: String
    package var event: Event

    package init(id: TransferID, isUpload: Bool, name: String, place: String, event: Event) {
        self.id = id
        self.isUpload = isUpload
        self.name = name
        self.place = place
        self.event = event
    }

    /// The news of a transfer whose state is durable; nil if there is none.
    ///
    /// An app reports on its own tasks, and a person who cancels a transfer knows about it.
    ///
    /// - Parameters:
    ///   - transfer: the transfer.
    ///   - before: its state before the last decision; nil for any other.
    ///   - setting: the choice for transfers without their own.
    package init?(_ transfer: Transfer, before: TransferState?, setting: NotifyChoice) {
        let spec = transfer.spec
        let choice = spec.notify.map { $0 ? NotifyChoice.all : .never } ?? setting
        guard choice != .never, spec.sessionTask == nil, let event = Self.event(transfer.state, before) else {
            return nil
        }
        if case .completed = event, choice != .all { return nil }
        if case .leftOut = event, choice != .all { return nil }
        let name = SnapshotName.original(spec.path) ?? spec.path.pathParts.last ?? spec.label
        self.init(
            id: transfer.id,
            isUpload: spec.isUpload,
            name: name ?? "transfer \(transfer.id)",
            place: spec.destination,
            event: event
        )
    }

    private static func event(_ state: TransferState, _ before: TransferState?) -> Event? {
        switch state {
        case .finished(.completed(let answer), _): answer.saysThere == true ? .leftOut : .completed
        case .finished(.failed(let failure, _), _): .failed(failure)
        case .finished(.cancelled, _), .finished(.cancelledByQuit, _), .finished(.released, _): nil
        case .queued, .running, .saving, .paused: nil
        case .waiting:
            // A wait that merely continues is not news.
            state.personNeeded.flatMap { $0 == before?.personNeeded ? nil : .needsPerson($0) }
        }
    }
}

extension TransferState {
    /// The reason why it waits for a person; nil if it does not.
    package var personNeeded: Reason.Cause? {
        guard case .waiting(let wait) = self else { return nil }
        switch wait.cause {
        case .credentials(let host): return .credentials(host: host)
        case .account(let failure): return .account(failure)
        case .setAside(let crashes): return .setAside(crashes: crashes)
        case .unreadable(let crashes): return .unreadable(crashes: crashes)
        case .predecessors(let all):
            // checked: a count of at most `TransferSpec.mostPredecessors`
            return all.first { $0.end != nil }.map { .predecessor($0, others: all.count - 1) }
        case .retry, .earliestBegin, .delegate, .keeper: return nil
        }
    }
}
