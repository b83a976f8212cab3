// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol

/// One request that the daemon answers: its name, and its only handler. The compiler ties the reply to the request.
///
/// A handler neither decodes nor decides: it passes the request on and returns the reply.
struct Route: Sendable {
    /// The request's name on the wire.
    let name: String
    /// Its type in OffstageProtocol, for the table in docs/wire-protocol.md.
    let request: String
    /// What the request does, for the same table.
    let summary: String
    let answer: @Sendable (isolated DaemonServer, WireFrame, _ connection: UInt64) async throws -> RouteAnswer

    /// A request whose answer has few rows and is encoded on the loop.
    ///
    /// - Parameters:
    ///   - type: the request.
    ///   - summary: what it does, as a sentence fragment.
    ///   - rows: the number of rows in a reply; a reply with many is encoded on a worker.
    ///   - handle: carries the request out.
    init<Request: WireRequest>(
        _ type: Request.Type,
        _ summary: String,
        rows: @escaping @Sendable (Request.Reply) -> Int = { _ in 0 },
        _ handle:
            @escaping @Sendable (isolated DaemonServer, Request, _ connection: UInt64) async throws ->
            Request.Reply
    ) {
        self.init(type, summary) { server, frame, connection in
            let reply = try await handle(server, server.coding.decode(type, frame), connection)
            return RouteAnswer(payload: try await server.coding.encode(reply, rows: rows(reply)))
        }
    }

    /// A request whose reply only means "done".
    init<Request: WireRequest>(
        _ type: Request.Type,
        _ summary: String,
        doing handle: @escaping @Sendable (isolated DaemonServer, Request, _ connection: UInt64) async throws -> Void
    ) where Request.Reply == Empty {
        self.init(type, summary) { server, request, connection in
            try await handle(server, request, connection)
            return Empty()
        }
    }

    /// A request whose handler encodes the reply itself.
    init<Request: WireRequest>(
        _ type: Request.Type,
        _ summary: String,
        encoding handle:
            @escaping @Sendable (isolated DaemonServer, Request, _ connection: UInt64) async throws ->
            EncodedReply<Request.Reply>
    ) {
        self.init(type, summary) { server, frame, connection in
            RouteAnswer(payload: try await handle(server, server.coding.decode(type, frame), connection).payload)
        }
    }

    /// A request whose reply carries a descriptor, or is followed by an action once it is on its way.
    init<Request: WireRequest>(
        _ type: Request.Type,
        _ summary: String,
        answering handle:
            @escaping @Sendable (isolated DaemonServer, Request, _ connection: UInt64) async throws ->
            (reply: Request.Reply, descriptor: Int32, afterwards: (@Sendable () -> Void)?)
    ) {
        self.init(type, summary) { server, frame, connection in
            let answer = try await handle(server, server.coding.decode(type, frame), connection)
            return RouteAnswer(
                payload: try WireCoding.encode(answer.reply),
                descriptor: answer.descriptor,
                afterwards: answer.afterwards
            )
        }
    }

    /// A request that its handler decodes, with a reply that is encoded on a worker.
    init<Request: WireRequest>(
        reading type: Request.Type,
        _ summary: String,
        _ handle:
            @escaping @Sendable (isolated DaemonServer, WireFrame, _ connection: UInt64) async throws ->
            Request.Reply
    ) {
        self.init(type, summary) { server, frame, connection in
            RouteAnswer(payload: try await server.coding.encode(handle(server, frame, connection)))
        }
    }

    private init<Request: WireRequest>(
        _ type: Request.Type,
        _ summary: String,
        _ answer:
            @escaping @Sendable (isolated DaemonServer, WireFrame, _ connection: UInt64) async throws ->
            RouteAnswer
    ) {
        name = Request.name
        request = "\(type)"
        self.summary = summary
        self.answer = answer
    }
}
