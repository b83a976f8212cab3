// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import OffstageTransfers

/// A queue's reports on its transfers, in order, with ways to wait for them.
final class TransferLog: Sendable {
    private struct State: Sendable {
        var latest: [TransferID: Transfer] = [:]
        var kinds: [TransferState.Kind] = []
        /// The reported numbers of bytes done.
        var bytes: [Int64] = []
    }

    private let state = Monitor(State())
    private let reaction = Monitor<(@Sendable (Transfer) -> Void)?>(nil)

    /// Sets a handler that is called at once, on the loop, when a transfer has changed.
    func onChange(_ body: (@Sendable (Transfer) -> Void)?) { reaction.withLock { $0 = body } }

    func note(_ notice: TransferNotice) {
        switch notice {
        case .changed(let snapshot), .finished(let snapshot):
            state.withLock {
                $0.latest[snapshot.transfer.id] = snapshot.transfer
                $0.kinds.append(snapshot.transfer.state.kind)
                $0.bytes.append(snapshot.bytesDone)
            }
            reaction.withLock { $0 }?(snapshot.transfer)
        case .progress(let list):
            state.withLock { state in
                for item in list { state.bytes.append(item.bytesDone) }
            }
        case .removed: break
        }
    }

    var bytes: [Int64] { state.withLock { $0.bytes } }

    /// Waits until a transfer enters a state after the call, or is in it now.
    @discardableResult
    func wait(
        _ id: TransferID,
        for what: String,
        within seconds: Double = 60,
        until condition: (Transfer) -> Bool
    ) throws -> Transfer {
        let found = state.wait(TimeLimit(seconds: seconds)) { state in
            state.latest[id].flatMap { condition($0) ? $0 : nil }
        }
        guard let found else {
            let now = state.withLock { $0.latest[id] }
            throw TestError("Waited \(seconds) s in vain for \(what); it is \(now.map { "\($0.state)" } ?? "unknown").")
        }
        return found
    }

    /// Waits for the end.
    @discardableResult
    func end(of id: TransferID, within seconds: Double = 60) throws -> Transfer {
        try wait(id, for: "the end of transfer \(id)", within: seconds) { $0.isFinished }
    }
}
