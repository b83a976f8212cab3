// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The interface for deferred work.
extension TransferQueue: WorkTransfers {
    /// Whether any transfer is being attempted or saved.
    package var hasAttemptsUnderWay: Bool {
        registry.live.values.contains { $0.transfer.state.kind == .running }
    }

    package func observeEnds(_ report: @escaping @Sendable () -> Void) -> UInt64 {
        observe(nil, onlyOutcomes: true) { _, _ in report() }
    }
}
