// SPDX-License-Identifier: Apache-2.0
import CMicroHTTPD
import Glibc
import OffstageCommands
import OffstageCore

/// libmicrohttpd without its own thread. Passes requests to the responder. Belongs to the loop's thread.
final class PageServer {
    /// Connects the callbacks to the responder.
    fileprivate final class Edge {
        let address: PageAddress
        var port: UInt16 = 0
        let user = geteuid()
        let responder: PageResponder

        init(_ address: PageAddress, _ responder: PageResponder) {
            self.address = address
            self.responder = responder
        }
    }

    private let edge: Edge
    private let daemon: OpaquePointer
    let port: UInt16

    /// Listens at a single address.
    ///
    /// - Parameters:
    ///   - address: the address to listen at.
    ///   - port: the port; 0 for any free port.
    ///   - responder: handles the requests.
    /// - Throws: `PageError` if it cannot listen.
    init(at address: PageAddress, port: UInt16, responder: PageResponder) throws(PageError) {
        let edge = Edge(address, responder)
        let daemon = offstage_mhd_start_polled(
            address.value,
            port,
            PageBounds.connections,
            PageBounds.connectionMemory,
            PageBounds.silence,
            admitConnection,
            answerRequest,
            requestCompleted,
            Unmanaged.passUnretained(edge).toOpaque()
        )
        guard let daemon else {
            throw PageError(
                "Cannot listen on \(address):\(port) (\(String(cString: strerror(errno)))): choose another port."
            )
        }
        self.edge = edge
        self.daemon = daemon
        self.port = offstage_mhd_port(daemon)
        edge.port = self.port
    }

    /// Becomes readable when there is something to do.
    var descriptor: Int32 { offstage_mhd_descriptor(daemon) }

    /// Milliseconds until there is something to do at the latest; -1 for no limit.
    var timeout: Int32 {
        var milliseconds: UInt64 = 0
        return MHD_get_timeout(daemon, &milliseconds) == offstage_mhd_yes ? Int32(clamping: milliseconds) : -1
    }

    /// Performs the pending work.
    func run() { MHD_run(daemon) }

    /// Ends all connections. Called once, when no connection is suspended.
    func stop() { MHD_stop_daemon(daemon) }
}

/// Rejects connections from the machine's other users without an answer.
private let admitConnection: MHD_AcceptPolicyCallback = { context, address, length in
    guard let context else { return offstage_mhd_no }
    let edge = Unmanaged<PageServer.Edge>.fromOpaque(context).takeUnretainedValue()
    let far = offstage_mhd_far_place(address, length)
    let owner = LocalPeer.owner(
        of: SocketTable.Place(address: far.address, port: far.port),
        connectedTo: SocketTable.Place(address: edge.address.value, port: edge.port)
    )
    return far.port != 0 && owner == edge.user ? offstage_mhd_yes : offstage_mhd_no
}

private let answerRequest: MHD_AccessHandlerCallback = { context, connection, url, method, _, data, size, slot in
    guard let context, let connection, let url, let method, let size, let slot else { return offstage_mhd_no }
    let edge = Unmanaged<PageServer.Edge>.fromOpaque(context).takeUnretainedValue()
    guard let held = slot.pointee else {
        // A path that is not valid text is not one of ours.
        let request = PageRequest(
            method: String(cString: method),
            path: String(validatingCString: url) ?? "",
            query: fields(connection, offstage_mhd_query_fields).mapValues { $0[0] },
            headers: fields(connection, offstage_mhd_header_fields)
        )
        let exchange = PageExchange(request, connection, refusal: edge.responder.receive(request))
        slot.pointee = Unmanaged.passRetained(exchange).toOpaque()
        return offstage_mhd_yes
    }
    let exchange = Unmanaged<PageExchange>.fromOpaque(held).takeUnretainedValue()
    if size.pointee > 0 {
        let goesOn = exchange.receive(UnsafeRawBufferPointer(start: data, count: size.pointee))
        size.pointee = 0
        return goesOn ? offstage_mhd_yes : offstage_mhd_no
    }
    guard let reply = exchange.answer(edge.responder.answer) else { return offstage_mhd_yes }
    return send(reply, connection, edge.responder)
}

private let requestCompleted: MHD_RequestCompletedCallback = { _, _, slot, _ in
    guard let slot, let held = slot.pointee else { return }
    slot.pointee = nil
    Unmanaged<PageExchange>.fromOpaque(held).release()
}

private final class Fields {
    var found: [String: [String]] = [:]
}

/// The header fields by lowercase name, or the fields of the query.
private func fields(_ connection: OpaquePointer, _ kind: MHD_ValueKind) -> [String: [String]] {
    let fields = Fields()
    MHD_get_connection_values(
        connection,
        kind,
        { context, _, name, value in
            guard let context, let name else { return offstage_mhd_yes }
            let fields = Unmanaged<Fields>.fromOpaque(context).takeUnretainedValue()
            fields.found[String(cString: name).lowercased(), default: []].append(
                value.map { String(cString: $0) } ?? ""
            )
            return offstage_mhd_yes
        },
        Unmanaged.passUnretained(fields).toOpaque()
    )
    return fields.found
}

private func send(_ reply: PageReply, _ connection: OpaquePointer, _ responder: PageResponder) -> MHD_Result {
    let response: OpaquePointer?
    switch reply.body {
    case .bytes(let bytes): response = offstage_mhd_response(bytes, bytes.count)
    case .file(let file): response = offstage_mhd_lasting_response(file.bytes.baseAddress, file.bytes.count)
    case .news:
        let stream = PageStream(connection)
        responder.open(stream)
        response = offstage_mhd_endless_response(
            { context, _, buffer, size in
                guard let context, let buffer else { return offstage_mhd_end_of_body }
                let held = Unmanaged<Held>.fromOpaque(context).takeUnretainedValue()
                return held.stream.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size))
            },
            Unmanaged.passRetained(Held(stream, responder)).toOpaque(),
            { context in
                guard let context else { return }
                let held = Unmanaged<Held>.fromOpaque(context).takeRetainedValue()
                held.responder.close(held.stream)
            }
        )
    }
    guard let response else { return offstage_mhd_no }
    defer { MHD_destroy_response(response) }
    for field in reply.headers { MHD_add_response_header(response, field.name, field.value) }
    return MHD_queue_response(connection, reply.status, response)
}

/// The library's reference to a stream.
private final class Held {
    let stream: PageStream
    let responder: PageResponder

    init(_ stream: PageStream, _ responder: PageResponder) {
        self.stream = stream
        self.responder = responder
    }
}
