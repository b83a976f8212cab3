// SPDX-License-Identifier: Apache-2.0

/// A dialect in an attempt that is under way, and what is being done for it.
struct DialectRun {
    var dialect: any UploadDialect
    /// The attempt that it belongs to; 0 before that has begun.
    var attempt = 0
    /// Whether digests are being computed: one range at a time.
    var isDigesting = false
    /// Whether the next step waits for them.
    var awaitsDigests = false

    /// Its memory as it was last committed.
    var committed: [UInt8]?
    /// The byte up to which the last answered request has brought the transfer.
    var reached: Int64

    init(_ dialect: any UploadDialect, committed: [UInt8]?) {
        self.dialect = dialect
        self.committed = committed
        reached = dialect.acknowledged
    }
}
