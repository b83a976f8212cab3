// SPDX-License-Identifier: Apache-2.0

/// A request of a dialect.
package struct DialectRequest: Sendable, Equatable {
    /// Which of the dialect's lanes it goes in; the first is 0.
    package var lane = 0
    package var method: String
    package var url: RequestURL
    /// Secrets among them are nowhere shown.
    package var headers: [HeaderField]
    package var body: RequestBody
    /// Where in the source the body begins: what is sent of it counts from there. Nil for a body that is not of the
    /// source.
    package var sourceOffset: Int64?
    /// Whether the server refuses a body that is not what was hashed: then the source need not be looked at once it is
    /// sent, and a commit that has gone well is not taken for a failure.
    package var provesBody: Bool

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
