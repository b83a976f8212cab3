// SPDX-License-Identifier: Apache-2.0

/// Consecutive records of one hand-over journal that need nothing but a commit.
package struct HandOverBatch: Sendable {
    /// A task that has been found fit to be taken in.
    package struct Task: Sendable {
        package var spec: TransferSpec
        /// `spec` as JSON, as the app wrote it.
        package var json: [UInt8]

        package init(spec: TransferSpec, json: [UInt8]) {
            self.spec = spec
            self.json = json
        }
    }

    package var app: String
    /// The journal's name.
    package var journal: String
    /// The last record of the batch.
    package var sequence: UInt64
    package var tasks: [Task] = []
    /// Whose `didFinishDownloadingTo` has returned.
    package var filesTaken: [TransferID] = []
    /// Whose delegate has heard of the end.
    package var acknowledged: [TransferID] = []

    package init(app: String, journal: String, sequence: UInt64) {
        self.app = app
        self.journal = journal
        self.sequence = sequence
    }
}
