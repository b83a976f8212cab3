// SPDX-License-Identifier: Apache-2.0

extension PieceSchedule {
    /// How many connections the attempts of a transfer may use. An app's tasks use one: their progress and their resume
    /// data are those of one stream.
    package static func connections(of transfer: Transfer) -> Int {
        let (spec, partial) = (transfer.spec, transfer.partial)
        guard !spec.isUpload, spec.method == "GET", spec.sessionTask == nil,
            partial?.serverIgnoresRanges != true, partial?.staysUndivided != true
        else { return 1 }
        return min(max(1, spec.connection?.connections ?? 1), ConnectionOptions.mostConnections)
    }
}
