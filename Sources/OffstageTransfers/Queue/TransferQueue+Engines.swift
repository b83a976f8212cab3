// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// What other engines know of the queue.
extension TransferQueue: SessionTransfers {}

extension TransferQueue: WorkTransfers {
    package func observeEnds(_ report: @escaping @Sendable () -> Void) -> UInt64 {
        observe(nil, onlyOutcomes: true) { _ in report() }
    }
}
