// SPDX-License-Identifier: Apache-2.0

/// A request of a dialect.
package struct DialectRequest: Sendable, Equatable {
    /// The lane that it uses; the first is 0.
    package var lane = 0
    package var method: String
    package var url: RequestURL
    /// Secrets among them are never shown.
    package var headers: [HeaderField]
    package var body: RequestBody
    /// The offset in the source at which the body begins, from which sent bytes are counted. Nil if the body is not
    /// part of the source.
    package var sourceOffset: Int64?
    /// Whether the server refuses a body that differs from the hashed bytes. If so, the source need not be checked
    /// after it was sent, and a successful commit does not count as a failure.
    package var provesBody: Bool
    /// Whether it carries the owner's name and password and the connection's options: only to the origin that the owner
    /// has named.
    package var usesCredentials = false
    /// Whether it is the owner's own request, or one about the same URL, as in plain uploads: it carries everything
    /// that the owner has set. If its body is the file, it also follows redirects.
    package var isOwners = false
    /// Whether interim responses that state where the upload can be resumed are reported
    /// (`UploadDialect.receivedInterim`).
    package var hearsInterim = false

    package init(
        lane: Int = 0,
        method: String = "POST",
        url: RequestURL,
        headers: [HeaderField] = [],
        body: RequestBody = RequestBody(),
        sourceOffset: Int64? = nil,
        provesBody: Bool = false
    ) {
        self.lane = lane
        self.provesBody = provesBody
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.sourceOffset = sourceOffset
    }
}
