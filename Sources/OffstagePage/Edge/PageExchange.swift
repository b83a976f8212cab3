// SPDX-License-Identifier: Apache-2.0
import CMicroHTTPD

/// One request from its head to the end of its answer. Belongs to the loop's thread.
final class PageExchange {
    let request: PageRequest
    private let connection: OpaquePointer
    private var body: [UInt8] = []
    /// A refusal decided from the head alone, in which case the body is not kept.
    private let refusal: PageReply?
    private var reply: PageReply?
    private var isAsked = false
    private var isWaiting = false

    init(_ request: PageRequest, _ connection: OpaquePointer, refusal: PageReply?) {
        self.request = request
        self.connection = connection
        self.refusal = refusal
    }

    /// Receives a part of the body.
    ///
    /// - Returns: false if the body is too long, which ends the connection.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard refusal == nil else { return true }
        body += bytes
        return body.count <= PageBounds.body
    }

    /// The answer; nil if it is still pending, in which case the connection is suspended.
    func answer(_ ask: (PageRequest, [UInt8], @escaping (PageReply) -> Void) -> Void) -> PageReply? {
        if let refusal { return refusal }
        if !isAsked {
            isAsked = true
            ask(request, body) { [self] in finish($0) }
            body = []
        }
        if let reply { return reply }
        isWaiting = true
        MHD_suspend_connection(connection)
        return nil
    }

    private func finish(_ reply: PageReply) {
        guard self.reply == nil else { return }
        self.reply = reply
        guard isWaiting else { return }
        isWaiting = false
        MHD_resume_connection(connection)
    }
}
