// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// A dialect in an attempt that is under way, and what is being done for it.
struct DialectRun {
    var dialect: any UploadDialect
    /// The attempt that it belongs to; 0 before that has begun.
    var attempt = 0
    /// The digests that are being computed: one range at a time.
    var hashing: HashingJob?
    /// Whether the next step waits for some.
    var awaitsDigests = false
    /// The account whose token the next step waits for.
    var awaitsTokenOf: String?
    /// Whether the dialect has been given a token.
    var hasToken = false

    /// Its memory as it was last committed.
    var committed: [UInt8]?
    /// The byte up to which the last answered request has brought the transfer.
    var reached: Int64

    init(_ dialect: any UploadDialect, committed: [UInt8]?) {
        self.dialect = dialect
        self.committed = committed
        reached = dialect.acknowledged
    }

    /// Whether a request may go to a URL: one that has a token knows only the places that the token was asked for.
    func mayGo(to url: RequestURL) -> Bool {
        !hasToken
            || dialect.tokenPlaces.contains { place in
                (try? RequestURL(place)).map { url.unredacted.hasPrefix($0.unredacted + "/") } ?? false
            }
    }

    /// Where the upload stands, for people.
    var standing: String? {
        if let awaitsTokenOf { return "waiting for a token of the account '\(awaitsTokenOf.redactedControls)'" }
        if awaitsDigests { return "hashing the file before it is sent" }
        return dialect.standing
    }
}
