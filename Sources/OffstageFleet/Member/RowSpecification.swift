// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// A row's specification, as the member hands it to its daemon.
struct RowSpecification {
    private let settings: MemberSettings

    init(_ settings: MemberSettings) { self.settings = settings }

    /// Opens and validates the specification. `SharedFiles` checks paths.
    ///
    /// - Parameters:
    ///   - row: the untrusted row from the database.
    ///   - seals: opens sealed values.
    /// - Returns: the specification, with the row as its keeper, and with the memory from another member.
    /// - Throws: any error that `refusal` accepts.
    func transfer(of row: HeldRow, _ seals: MemberSeals) throws -> TransferSpec {
        var spec = try seals.specification(of: row)
        // The submitter writes both, and limits count by the row's host.
        guard spec.url.host == row.host else {
            throw RequestError.invalidValue("The row was submitted for another server than its request goes to")
        }
        try FleetTrust(folders: [], accounts: Set(settings.accounts)).check(spec)
        spec.keptUpload = try seals.memory(of: row).map { Base64Bytes(bytes: $0) }
        spec.owner = MemberDaemon.owner
        spec.keeper = TransferKeeper(fleet: settings.fleet, row: row.grant.row, fence: row.grant.fence)
        spec.submissionKey = nil
        spec.isSentOnce = row.row.isRepeatable ? nil : true
        spec.priority = Double(min(100, max(0, row.priority))) / 100
        // The row has already waited until then.
        spec.earliestBegin = nil
        spec.setContentTypeOfForm()
        try spec.validate()
        return spec
    }

    /// The end of a row that is invalid here, or asks for more than the member shares. Another member may have another
    /// key or a later version, or share more.
    static func refusal(_ error: any Error) -> FleetEnd {
        let detail =
            switch error {
            case let error as SealError: error.sentence
            case let error as RequestError: error.sentence
            default: "its member cannot read the specification"
            }
        return FleetEnd(.failed, detail: FleetText(detail, longest: 900).description, isOfMachine: true)
    }
}
