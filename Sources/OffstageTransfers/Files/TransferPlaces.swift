// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Where files of transfers are, besides those that people name.
package struct TransferPlaces: Sendable {
    /// In the names of files that lie beside those of other stores.
    package var storeToken: String
    /// What an app hands over to be sent is copied to here.
    package var snapshots: String
    /// What has arrived of a session's download that ended is kept here, for another to go on with.
    package var resumable: String
    /// The folder for the long bodies of responses to an app's uploads; it exists before the app hands anything over.
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

    /// Where a download is kept until it is whole.
    func partialPath(of transfer: Transfer) -> String {
        AttemptFiles.partialPath(of: transfer, storeToken: storeToken)
    }

    /// Where the response to a session's upload goes when it is too long for the answer.
    func bodySpoolPath(of transfer: Transfer) -> String? {
        guard transfer.spec.sessionTask != nil, transfer.spec.isUpload else { return nil }
        return ResponseFile.path(folder: responses(transfer.spec.owner), id: transfer.id, storeToken: storeToken)
    }
}
