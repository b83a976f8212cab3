// SPDX-License-Identifier: Apache-2.0
package import OffstageProtocol

/// One line of `offstage events --json` (docs/json.md).
package struct EventDocument: Encodable, Sendable {
    /// `current`, `changed`, `progress`, `finished`, `removed` or `interrupted`.
    package let event: String
    package let transfer: TransferDocument?
    package let id: Int64?
    package let bytesDone: Int64?
    package let bytesTotal: Int64?
    package let rate: Double?
    package let standing: String?

    package init(event: String, transfer: TransferRow? = nil, id: Int64? = nil) {
        self.event = event
        self.transfer = transfer.map(TransferDocument.init)
        self.id = id ?? transfer?.id.rawValue
        bytesDone = nil
        bytesTotal = nil
        rate = nil
        standing = nil
    }

    package init(_ progress: TransferEvent.Progress) {
        event = "progress"
        transfer = nil
        id = progress.id.rawValue
        bytesDone = progress.bytesDone
        bytesTotal = progress.bytesTotal
        rate = progress.rate
        standing = progress.standing
    }
}
