// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import COffstageTestSupport
import Glibc

/// An HTTP/1.1 server on plain sockets that misbehaves as scripted by path, with a thread per connection.
///
/// It records every request and counts connections, and a test can wait for them on its condition variable.
package final class FaultServer: Sendable {
    struct State: Sendable {
        var scripts: [String: [FaultAnswer]] = [:]
        var used: [String: Int] = [:]
        var onAccept: ConnectionFault?
        var requests: [RecordedRequest] = []
        /// The descriptors of connections whose threads are running.
        var open: Set<Int32> = []
        var connections = 0
        var active = 0
        var mostActive = 0
        var bodyBytesSent: [String: Int64] = [:]
        var isStopping = false
        var isAccepting = true
    }

    /// What happens to a connection before any request is read.
    package enum ConnectionFault: Sendable {
        /// Closed at once.
        case close
        /// Accepted and then ignored, until the peer gives up.
        case stall
        /// Answered with bytes that are not HTTP, then closed.
        case garbage
    }

    package let port: UInt16
    package let address: String
    private let listener: Int32
    let state = Monitor(State())

    /// Starts listening.
    ///
    /// - Parameters:
    ///   - address: the loopback, or an address within `namespace`.
    ///   - port: 0 for any free port.
    ///   - namespace: the path of a network namespace in which it listens; needs root.
    /// - Throws: `TestError` if the port is taken or the namespace cannot be joined.
    package init(address: String = "127.0.0.1", port: UInt16 = 0, namespace: String? = nil) throws {
        DescriptorLimit.raise()
        self.address = address
        if let namespace {
            listener = try NetworkNamespace.run(namespace) { try LoopbackSocket.listen(address: address, port: port) }
        } else {
            listener = try LoopbackSocket.listen(address: address, port: port)
        }
        self.port = try LoopbackSocket.port(of: listener)
        let (listener, state) = (listener, state)
        try TestThread.start { Self.accept(on: listener, state) }
    }

    deinit { stop() }

    package func url(_ path: String) -> String { "http://\(address):\(port)\(path)" }

    /// Sets the answers to requests for a path: the first request gets the first answer and so on, all later requests
    /// the last.
    package func script(_ path: String, _ answers: FaultAnswer...) {
        script(path, answers)
    }

    /// Like `script(_:_:)`, with the answers as an array.
    package func script(_ path: String, _ answers: [FaultAnswer]) {
        state.withLock {
            $0.scripts[path] = answers
            $0.used[path] = 0
        }
    }

    /// Sets the fault of all new connections; nil to serve them.
    package func onAccept(_ fault: ConnectionFault?) {
        state.withLock { $0.onAccept = fault }
    }

    /// Connections since the start.
    package var connections: Int { state.withLock { $0.connections } }
    /// The maximum number of requests answered at the same time.
    package var mostActive: Int { state.withLock { $0.mostActive } }
    package var active: Int { state.withLock { $0.active } }
    package var requests: [RecordedRequest] { state.withLock { $0.requests } }

    package func requests(_ path: String) -> [RecordedRequest] { requests.filter { $0.path == path } }

    /// Bytes of response bodies that were handed to the kernel for a path.
    package func bodyBytesSent(_ path: String) -> Int64 { state.withLock { $0.bodyBytesSent[path] ?? 0 } }

    /// Waits until the heads of so many requests have arrived, for one path or for all, and returns them.
    @discardableResult
    package func waitForRequests(
        _ path: String? = nil,
        count: Int,
        within seconds: Double = 20
    ) throws -> [RecordedRequest] {
        let found = state.wait(TimeLimit(seconds: seconds)) { state -> [RecordedRequest]? in
            let found = path.map { path in state.requests.filter { $0.path == path } } ?? state.requests
            return found.count >= count ? found : nil
        }
        guard let found else {
            let came = path.map { requests($0).count } ?? requests.count
            throw TestError("Only \(came) of \(count) requests came for \(path ?? "any path") in \(seconds) s.")
        }
        return found
    }

    /// Waits until there have been so many connections.
    package func waitForConnections(count: Int, within seconds: Double = 20) throws {
        guard state.wait(TimeLimit(seconds: seconds), until: { $0.connections >= count ? true : nil }) == true else {
            throw TestError("Only \(connections) of \(count) connections came in \(seconds) s.")
        }
    }

    /// Waits until so many requests are being answered at once.
    package func waitForActive(_ count: Int, within seconds: Double = 20) throws {
        guard state.wait(TimeLimit(seconds: seconds), until: { $0.active >= count ? true : nil }) == true else {
            throw TestError("Only \(active) of \(count) requests were under way at once in \(seconds) s.")
        }
    }

    /// Waits until so many bytes of bodies for a path have been handed to the kernel.
    package func waitForBodyBytes(_ path: String, _ count: Int64, within seconds: Double = 20) throws {
        let found = state.wait(TimeLimit(seconds: seconds)) { ($0.bodyBytesSent[path] ?? 0) >= count ? true : nil }
        guard found == true else {
            throw TestError("Only \(bodyBytesSent(path)) of \(count) bytes of \(path) went out in \(seconds) s.")
        }
    }

    /// Waits until so many bytes of the latest request's body for a path have been read.
    package func waitForUpload(_ path: String, bytes count: Int, within seconds: Double = 20) throws {
        let found = state.wait(TimeLimit(seconds: seconds)) { state in
            (state.requests.last { $0.path == path }?.body.count ?? 0) >= count ? true : nil
        }
        guard found == true else { throw TestError("\(count) bytes for \(path) were not read in \(seconds) s.") }
    }

    /// Breaks all connections as a crash would; new connections are still served.
    package func dropConnections() {
        state.withLock { for descriptor in $0.open { shutdown(descriptor, Int32(SHUT_RDWR)) } }
    }

    /// Ends all connections and frees the port; returns once their threads have ended.
    package func stop() {
        state.withLock {
            guard !$0.isStopping else { return }
            $0.isStopping = true
            shutdown(listener, Int32(SHUT_RDWR))
            for descriptor in $0.open { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
        _ = state.wait(TimeLimit(seconds: 10)) { $0.open.isEmpty && !$0.isAccepting ? true : nil }
    }

    private static func accept(on listener: Int32, _ state: Monitor<State>) {
        while true {
            var item = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
            _ = poll(&item, 1, -1)
            let descriptor = offstage_accept(listener)
            if descriptor < 0 {
                if state.withLock({ $0.isStopping }) { break }
                continue
            }
            _ = fcntl(descriptor, F_SETFL, 0)
            let number = state.withLock { state -> Int in
                state.connections += 1
                state.open.insert(descriptor)
                if state.isStopping { shutdown(descriptor, Int32(SHUT_RDWR)) }
                return state.connections
            }
            let started: Void? = try? TestThread.start {
                FaultConnection(descriptor: descriptor, number: number, state: state).serve()
            }
            if started == nil {
                state.withLock { _ = $0.open.remove(descriptor) }
                close(descriptor)
            }
        }
        close(listener)
        state.withLock { $0.isAccepting = false }
    }
}
