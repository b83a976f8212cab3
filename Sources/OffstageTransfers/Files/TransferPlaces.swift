// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The locations of transfers' files, except those that users name.
package struct TransferPlaces: Sendable {
    /// The part of the file names that distinguishes them from other stores' files.
    package var storeToken: String
    /// The folder for copies of the files that an app hands over to be sent.
    package var snapshots: String
    /// The folder for partial files of ended session downloads, so that other tasks can resume them.
    package var resumable: String
    /// The folder for long bodies of responses to an app's uploads; it exists before the app hands over anything.
    package var responses: @Sendable (_ owner: String) -> String

    package init(
        storeToken: String,
        snapshots: String,
        resumable: String,
        responses: @escaping @Sendable (_ owner: String) -> String
    ) {
        self.storeToken = storeToken
        self.snapshots = snapshots
        self.resumable = resumable
        self.responses = responses
    }

    /// The path of a download until it is complete.
    func partialPath(of transfer: Transfer) -> String {
        AttemptFiles.partialPath(of: transfer, storeToken: storeToken)
    }

    /// The path of the response to a session's upload if it is too long for the answer.
    func bodySpoolPath(of transfer: Transfer) -> String? {
        guard transfer.spec.sessionTask != nil, transfer.spec.isUpload else { return nil }
        return ResponseFile.path(folder: responses(transfer.spec.owner), id: transfer.id, storeToken: storeToken)
    }
}
