// SPDX-License-Identifier: Apache-2.0

/// Consecutive records of one hand-over journal that only need a commit.
package struct HandOverBatch: Sendable {
    /// A task that may be accepted.
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
    /// The last record of the batch; nil if the journal is read from the same place again.
    package var sequence: UInt64?
    package var tasks: [Task] = []
    /// The transfers whose `didFinishDownloadingTo` has returned.
    package var filesTaken: [TransferID] = []
    /// The transfers whose delegate has received the end.
    package var acknowledged: [TransferID] = []

    package init(app: String, journal: String, sequence: UInt64?) {
        self.app = app
        self.journal = journal
        self.sequence = sequence
    }
}
