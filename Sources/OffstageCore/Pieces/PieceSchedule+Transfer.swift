// SPDX-License-Identifier: Apache-2.0

extension PieceSchedule {
    /// Decides how an attempt of a download may use several connections; nil for only one.
    ///
    /// - Parameters:
    ///   - transfer: the download.
    ///   - offset: the byte at which the first request begins.
    ///   - held: the bytes that the file holds.
    ///   - mostOfHost: the most connections that one download may open to a host if its owner has set no number.
    ///   - free: how many of those connections are left.
    package init?(of transfer: Transfer, from offset: Int64, held: ByteSpans, mostOfHost: Int, free: Int = .max) {
        guard Self.maySplit(transfer) else { return nil }
        if let wanted = transfer.spec.connection?.connections {
            self.init(connections: min(wanted, ConnectionOptions.mostConnections), held: held)
        } else {
            // More connections would only share the rate limit.
            let most = transfer.spec.rateLimit == nil ? mostOfHost : 1
            self.init(growingTo: most, from: offset, held: held, free: free)
        }
    }

    /// Whether the attempts of a transfer may use several connections. An app's tasks use one: their progress and their
    /// resume data are those of one stream.
    package static func maySplit(_ transfer: Transfer) -> Bool {
        let (spec, partial) = (transfer.spec, transfer.partial)
        return !spec.isUpload && spec.method == "GET" && spec.sessionTask == nil
            && partial?.serverIgnoresRanges != true && partial?.staysUndivided != true
            && spec.connection?.connections ?? 2 > 1 && spec.headers["Range"] == nil
    }
}
