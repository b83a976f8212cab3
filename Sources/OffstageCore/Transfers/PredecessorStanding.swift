// SPDX-License-Identifier: Apache-2.0

/// The state of a transfer that another waits for.
package enum PredecessorStanding: Sendable, Equatable {
    case unfinished, completed
    case ended(PredecessorEnd)

    /// - Parameter transfer: nil if it is not on record.
    package init(_ transfer: Transfer?) {
        guard let transfer else {
            self = .ended(.forgotten)
            return
        }
        self =
            switch transfer.outcome {
            case nil: .unfinished
            case .completed: .completed
            case .failed: .ended(.failed)
            case .cancelled, .cancelledByQuit, .released: .ended(.cancelled)
            }
    }
}

extension TransferState.Predecessor {
    /// The predecessor with its current state, unchanged if that is unknown; nil once it has completed.
    func standing(_ standing: PredecessorStanding?) -> TransferState.Predecessor? {
        switch standing {
        case .ended(let end): TransferState.Predecessor(id: id, end: end)
        case .unfinished: TransferState.Predecessor(id: id)
        case .completed: nil
        case nil: self
        }
    }
}
