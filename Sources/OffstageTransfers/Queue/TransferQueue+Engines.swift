// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// What other engines know of the queue.
extension TransferQueue: SessionTransfers {
    package func sweepSnapshots() async { await leftovers.sweepSnapshots() }

    package func deleteUnclaimed(
        _ names: [String],
        in folder: String,
        prefix: String,
        kinds: [TransferState.Kind]?
    ) async {
        await leftovers.deleteUnclaimed(names, in: folder, prefix: prefix, kinds: kinds)
    }

    package func deleteUnclaimedResponses(_ names: [String], in folder: String) async {
        await leftovers.deleteUnclaimedResponses(names, in: folder)
    }
}

extension TransferQueue: WorkTransfers {
    package func observeEnds(_ report: @escaping @Sendable () -> Void) -> UInt64 {
        observe(nil, onlyOutcomes: true) { _ in report() }
    }
}
