// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// One request of an attempt, for the engine to carry out.
///
/// The engine reads or writes `fileDescriptor` with pread and pwrite, so its file offset does not matter, and never
/// closes it: the caller owns it again after the request's `ended` or `released` event.
package struct EngineRequest: Sendable {
    package var id: TransferID
    package var attempt: Int
    /// The request's lane in the attempt: several requests may run at once.
    package var lane: Int
    package var spec: TransferSpec
    /// An upload's source, open for reading, or a download's partial file, open for writing.
    package var fileDescriptor: Int32
    /// The path of the file behind `fileDescriptor`; an upload's file is checked again once it has been sent.
    package var filePath: String
    /// The device numbers of the file systems with the request's files.
    package var fileSystems: [UInt64] = []
    /// The first byte of a download to request, or the byte of an upload's source that its body begins with.
    package var offset: Int64
    /// The body to send: the whole body of the specification, unless a dialect sends it in pieces; nil for a download.
    package var body: RequestBody?
    /// Whether sent bytes of the body count as progress of the transfer: a dialect's own messages do not.
    package var countsBody: Bool = true
    /// Whether the body's files are checked before it is sent: in a series of requests, the later ones rely on this.
    package var checksSourceFirst: Bool = false
    /// Whether the body's files are checked after it is sent.
    package var checksSourceAfterwards: Bool = true
    /// Whether a redirect is treated as an ordinary answer.
    package var takesRedirectAsAnswer: Bool = false
    /// Whether a partly sent body may be sent again in the same attempt, as libcurl does when a reused connection ends
    /// without an answer. A dialect asks how much has arrived instead. A redirect that asks for the body gets it
    /// anyway.
    package var sendsBodyAgain: Bool = true
    /// Whether the request gets an unused connection. If a server closes a reused one without an answer, libcurl
    /// automatically sends the request again, even one without a body.
    package var needsNewConnection: Bool = false
    /// Whether a long body waits, for at most a second, for the server's go-ahead.
    package var expectsGoAhead: Bool = true
    /// Whether interim responses 104 are reported.
    package var hearsInterim: Bool = false
    /// The known facts of a partial file; its validator makes the range conditional.
    package var partial: PartialDownload?
    /// The byte after a piece of the file, which is requested by its bounds; nil to request everything from `offset`
    /// on.
    package var pieceEnd: Int64?
    /// How many bytes the file already has after `offset`: if it has any, it is not truncated.
    package var heldBehind: Int64 = 0
    /// Whether a range is requested with `If-Match`, so it is refused if the file has changed. Otherwise `If-Range` is
    /// used, so the server sends the whole file instead.
    package var needsMatch: Bool = false
    /// The length that the file must have; nil if any will do. For a piece, it is set if its server is not the one in
    /// use: the arrival of the piece is then reported (`answeredBeside`).
    package var expectedBytes: Int64?
    /// Whether this requests only the file's head, which is reported as if the file followed.
    package var isInquiry: Bool = false
    /// Whether to report that the file may be fetched in pieces.
    package var mayDivide: Bool = false
    /// Whether its connection carries no other request at the same time: HTTP/1.1.
    package var hasOwnConnection: Bool = false
    /// This attempt's share of the bandwidth in bytes a second; nil for no limit.
    package var rateLimit: Int64?
    /// Whether the attempt gets large buffers, which save CPU on a large file.
    package var usesLargeBuffers: Bool
    /// Where the body of an upload's response goes if it is longer than `Answer.bodyStartLimit`; nil to drop the rest.
    package var bodySpoolPath: String?

    package var key: RequestKey { RequestKey(id, attempt: attempt, lane: lane) }

    package init(
        id: TransferID,
        attempt: Int,
        lane: Int = 0,
        spec: TransferSpec,
        fileDescriptor: Int32,
        filePath: String,
        offset: Int64 = 0,
        partial: PartialDownload? = nil,
        rateLimit: Int64? = nil,
        usesLargeBuffers: Bool = false,
        bodySpoolPath: String? = nil
    ) {
        self.id = id
        self.attempt = attempt
        self.lane = lane
        self.spec = spec
        body = spec.body
        self.fileDescriptor = fileDescriptor
        self.filePath = filePath
        self.offset = offset
        self.partial = partial
        self.rateLimit = rateLimit
        self.usesLargeBuffers = usesLargeBuffers
        self.bodySpoolPath = bodySpoolPath
    }
}
