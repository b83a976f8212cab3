// SPDX-License-Identifier: Apache-2.0
package import OffstageClient
package import OffstageCore
package import OffstageProtocol

extension DaemonConnection {
    /// Details of any number of transfers, asked for so few at a time that each answer fits a frame.
    package func details(of ids: [TransferID]) throws(OffstageError) -> [TransferDetail] {
        var details: [TransferDetail] = []
        for batch in ids.batches(of: 20) { details += try send(ShowTransfers(ids: batch)).details }
        return details
    }

    /// Watches any number of transfers, and returns their rows as they are now; those that are not there are left out.
    package func watch(_ ids: [TransferID], onlyOutcomes: Bool = false) throws(OffstageError) -> [TransferRow] {
        var rows: [TransferRow] = []
        for batch in ids.batches(of: 200) {
            rows += try send(WatchTransfers(ids: batch, onlyOutcomes: onlyOutcomes)).rows
        }
        return rows
    }
}

extension Array {
    fileprivate func batches(of count: Int) -> [[Element]] {
        stride(from: 0, to: self.count, by: count).map { Array(self[$0..<Swift.min($0 + count, self.count)]) }
    }
}
