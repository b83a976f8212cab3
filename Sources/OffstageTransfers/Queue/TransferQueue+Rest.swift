// SPDX-License-Identifier: Apache-2.0

extension TransferQueue {
    /// Whether any transfer is being attempted, or its file saved.
    package var hasAttemptsUnderWay: Bool {
        live.values.contains { $0.transfer.state.kind == .running }
    }
}
