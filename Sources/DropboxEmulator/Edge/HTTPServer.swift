// SPDX-License-Identifier: Apache-2.0
import CMicroHTTPD
import Glibc

/// A server on libmicrohttpd: one thread per connection, which hands requests to exchanges and sends their answers.
final class HTTPServer: Sendable {
    /// Memory of a connection: half of it is the buffer that bodies are read into.
    private static let connectionMemory = 1 << 20

    /// The daemon's handle.
    ///
    /// Unchecked: `init` writes it, and only `stop`, which is called once, releases it.
    private struct Handle: @unchecked Sendable {
        var daemon: OpaquePointer
    }

    private let handle: Handle
    private let edge: EmulatorEdge
    let port: UInt16

    /// Starts listening on 127.0.0.1.
    ///
    /// - Parameters:
    ///   - port: 0 for any free port.
    ///   - security: certificate and key as PEM; nil for plain HTTP.
    ///   - edge: receives the requests.
    /// - Throws: `DropboxEmulatorError` if the port is taken or the certificate is invalid.
    init(port: UInt16, security: (certificate: String, key: String)?, edge: EmulatorEdge) throws(DropboxEmulatorError) {
        self.edge = edge
        errno = 0
        // The edge outlives the daemon's threads: this object holds it until `stop` has ended them.
        let context = Unmanaged.passUnretained(edge).toOpaque()
        let daemon = Self.withOptionalStrings(security?.certificate, security?.key) { certificate, key in
            offstage_mhd_start(
                port,
                certificate,
                key,
                Self.connectionMemory,
                answerRequest,
                requestCompleted,
                context
            )
        }
        guard let daemon else {
            if security != nil, errno == 0 {
                throw DropboxEmulatorError(
                    "The certificate and the key do not make a TLS server: check both PEM files."
                )
            }
            throw .system("Cannot listen on 127.0.0.1:\(port)")
        }
        handle = Handle(daemon: daemon)
        self.port = offstage_mhd_port(daemon)
    }

    /// Ends all connections; returns when their threads have ended. Called once.
    func stop() {
        edge.stopSignal.stop()
        MHD_stop_daemon(handle.daemon)
    }

    private static func withOptionalStrings<Result>(
        _ first: String?,
        _ second: String?,
        _ body: (UnsafePointer<CChar>?, UnsafePointer<CChar>?) -> Result
    ) -> Result {
        guard let first, let second else { return body(nil, nil) }
        return first.withCString { first in second.withCString { body(first, $0) } }
    }
}

private let answerRequest: MHD_AccessHandlerCallback = { context, connection, url, method, _, data, size, slot in
    guard let context, let connection, let url, let method, let size, let slot else { return offstage_mhd_no }
    guard let held = slot.pointee else {
        let edge = Unmanaged<EmulatorEdge>.fromOpaque(context).takeUnretainedValue()
        let request = EmulatorRequest(
            method: String(cString: method),
            path: String(cString: url),
            query: values(connection, offstage_mhd_query_fields),
            headers: values(connection, offstage_mhd_header_fields)
        )
        slot.pointee = Unmanaged.passRetained(EmulatorExchange(request, edge)).toOpaque()
        return offstage_mhd_yes
    }
    let exchange = Unmanaged<EmulatorExchange>.fromOpaque(held).takeUnretainedValue()
    if size.pointee > 0 {
        let goesOn = exchange.receive(UnsafeRawBufferPointer(start: data, count: size.pointee))
        size.pointee = 0
        return goesOn ? offstage_mhd_yes : offstage_mhd_no
    }
    let edge = Unmanaged<EmulatorEdge>.fromOpaque(context).takeUnretainedValue()
    guard let reply = exchange.end() else { return offstage_mhd_no }
    return send(reply, connection, edge)
}

private let requestCompleted: MHD_RequestCompletedCallback = { _, _, slot, _ in
    guard let slot, let held = slot.pointee else { return }
    slot.pointee = nil
    Unmanaged<EmulatorExchange>.fromOpaque(held).takeRetainedValue().connectionEnded()
}

private final class Values {
    var found: [String: String] = [:]
}

/// Header fields with lower-case names, or fields of the query; the first of several with the same name.
private func values(_ connection: OpaquePointer, _ kind: MHD_ValueKind) -> [String: String] {
    let values = Values()
    let context = Unmanaged.passUnretained(values).toOpaque()
    MHD_get_connection_values(
        connection,
        kind,
        { context, kind, name, value in
            guard let context, let name else { return offstage_mhd_yes }
            let values = Unmanaged<Values>.fromOpaque(context).takeUnretainedValue()
            let key = String(cString: name)
            let text = value.map { String(cString: $0) } ?? ""
            let lower = kind == offstage_mhd_header_fields ? key.lowercased() : key
            if values.found[lower] == nil { values.found[lower] = text }
            return offstage_mhd_yes
        },
        context
    )
    return values.found
}

private func send(_ reply: EmulatorReply, _ connection: OpaquePointer, _ edge: EmulatorEdge) -> MHD_Result {
    let response: OpaquePointer?
    switch reply.body {
    case .bytes(let bytes): response = offstage_mhd_response(bytes, bytes.count)
    case .stored(let extents):
        guard let folder = edge.folder else { return offstage_mhd_no }
        let reader = SegmentReader(extents, in: folder)
        response = MHD_create_response_from_callback(
            UInt64(reader.length),
            1 << 18,
            { context, _, buffer, size in
                guard let context else { return -2 }
                let reader = Unmanaged<SegmentReader>.fromOpaque(context).takeUnretainedValue()
                let count = reader.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size))
                return count > 0 ? count : count == 0 ? -1 : -2
            },
            Unmanaged.passRetained(reader).toOpaque(),
            { context in
                if let context { Unmanaged<SegmentReader>.fromOpaque(context).release() }
            }
        )
    }
    guard let response else { return offstage_mhd_no }
    defer { MHD_destroy_response(response) }
    for (name, value) in reply.headers { MHD_add_response_header(response, name, value) }
    return MHD_queue_response(connection, UInt32(reply.status), response)
}
