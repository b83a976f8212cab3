// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageCore
import OffstageHost
import OffstageProtocol
import OffstageRuntime

/// Incoming frames, and the order in which they are handled. No process delays another, and no peer controls memory use
/// or call depth.
extension DaemonServer {
    /// A connection's socket is readable or writable.
    func ready(_ id: UInt64, events: UInt32) {
        guard let connection = connections[id], !connection.isEnding, !departed.contains(id) else { return }
        if events & offstage_epoll_out != 0 {
            guard connection.flush() else { return doom(connection) }
            resume(connection)
        }
        if events & (offstage_epoll_hup | offstage_epoll_err) != 0 { return finish(connection) }
        if events & offstage_epoll_in != 0, !connection.hasFrames, connection.heldFrame == nil {
            guard connection.readAvailable() != .hungUp else { return finish(connection) }
            resume(connection)
            // Its turn comes immediately, and decides which events to watch.
            if connection.hasFrames { return }
        }
        settle(connection)
    }

    /// Queues the connection if it has frames that may be handled.
    private func resume(_ connection: Connection) {
        guard connection.hasFrames || connection.heldFrame != nil, !departed.contains(connection.id) else { return }
        guard connection.unread <= Connection.budget.unreadBeforePause else { return }
        line.add(connection.id, of: connection.peerProcess)
    }

    /// Handles frames for a moment, one of each process in turn, and the same number from peers that have hung up.
    ///
    /// - Returns: whether more frames may be handled.
    func runTurn() -> Bool {
        guard !line.isEmpty || !departed.isEmpty else { return false }
        let end = loop.stopwatch + Self.budget.secondsOfTurn  // checked: floating point
        repeat {
            let hasServed = serveNext()
            guard serveDeparted() || hasServed else { break }
        } while loop.stopwatch < end
        return !line.isEmpty || !departed.isEmpty
    }

    /// - Returns: false if no connection is waiting.
    private func serveNext() -> Bool {
        guard let (id, process) = line.next() else { return false }
        if let connection = connections[id], !connection.isEnding { serve(connection, process) }
        return true
    }

    /// Handles one frame of a peer that has hung up, or reads more from it; after the last frame it is dropped.
    ///
    /// - Returns: false if there is no such peer.
    private func serveDeparted() -> Bool {
        guard let (id, isOver) = departed.next() else { return false }
        guard let connection = connections[id] else { return true }
        if !isOver {
            if let frame = try? connection.nextFrame() {
                receiveLast(frame, from: connection)
                return true
            }
            // Even after a protocol violation: once unread bytes are dropped, the kernel reports only that to the peer.
            if departed.mayRead(id), connection.readAvailable() == .something { return true }
        }
        drop(connection)
        return true
    }

    private func serve(_ connection: Connection, _ process: Int32) {
        guard connection.unread <= Connection.budget.unreadBeforePause, let frame = next(of: connection) else {
            return settle(connection)
        }
        connection.frameBegan = nil
        let weight = weight(of: frame)
        if weight > 0, let hold = ledger.hold(weight, of: connection.id, process) {
            connection.heldFrame = frame
            // A frame that waits for its own connection is queued again with the next answer.
            if hold != .connection { line.hold(connection.id, of: process, forAll: hold == .all) }
            return settle(connection)
        }
        receive(frame, from: connection, weight: weight)
        if connections[connection.id] != nil {
            resume(connection)
            settle(connection)
        }
    }

    private func next(of connection: Connection) -> WireFrame? {
        do {
            return try connection.nextFrame()
        } catch {
            let text =
                switch error {
                case .frameTooLong(let length): "A frame of \(length) bytes is longer than the protocol allows."
                case .malformed: "That is not Offstage's protocol."
                }
            warn(connection, .badRequest, text)
            doom(connection)
            return nil
        }
    }

    /// The weight of a request that is answered later; 0 for any other frame.
    private func weight(of frame: WireFrame) -> Int {
        guard frame.kind == .request, ![Hello.name, Ring.name, StageReport.name].contains(frame.name) else { return 0 }
        return RequestWeight.of(frame.name, payload: frame.payload.count)
    }

    /// Handles a frame of a peer that has hung up. No process would receive an answer, so a request that cannot begin
    /// immediately is skipped.
    private func receiveLast(_ frame: WireFrame, from connection: Connection) {
        let weight = weight(of: frame)
        guard weight == 0 || ledger.hold(weight, of: connection.id, connection.peerProcess) == nil else { return }
        receive(frame, from: connection, weight: weight)
    }

    /// Handles the frames that an app's process sent before it ended. This is done immediately, because the kernel may
    /// report the end first, and the reports count before that.
    func readRest(of id: UInt64) {
        guard let connection = connections[id] else { return }
        var left = Connection.budget.framesOfTheDead
        // Limited, so that a peer that keeps sending does not monopolize the loop.
        for _ in 0..<Connection.budget.readsOfTheDead {  // checked: a number of ours
            while left > 0, connections[id] != nil, let frame = try? connection.nextFrame() {
                left -= 1
                receiveLast(frame, from: connection)
            }
            guard left > 0, connections[id] != nil else { return }
            guard connection.readAvailable() == .something else { return }
        }
    }

    /// The peer has hung up: its remaining frames are handled in turns, like any others, and then the connection is
    /// dropped.
    private func finish(_ connection: Connection) {
        let (id, process) = (connection.id, connection.peerProcess)
        guard !departed.contains(id) else { return }
        let hasMore = connection.hasFrames || connection.heldFrame != nil || connection.readAvailable() == .something
        guard hasMore else { return drop(connection) }
        // The kernel would report the end again and again.
        if let watch = connection.watch { loop.unwatch(watch) }
        connection.watch = nil
        line.remove(id, of: process)
        departed.add(id, of: process)
    }

    /// Drops a connection once the current calls have returned: a sender must not find it gone, and dropping it may
    /// cause writes to other connections.
    func doom(_ connection: Connection) {
        guard !connection.isEnding, connections[connection.id] != nil else { return }
        connection.isEnding = true
        let id = connection.id
        loop.post { [weak self] in
            self?.assumeIsolated { server in
                guard let connection = server.connections[id] else { return }
                server.finish(connection)
            }
        }
    }

    private func receive(_ frame: WireFrame, from connection: Connection, weight: Int) {
        connections.serve(connection)
        guard frame.kind == .request else {
            return fail(
                connection,
                exchange: frame.exchange,
                WireFailure(.badRequest, "A client may send only requests.")
            )
        }
        let id = connection.id
        if frame.name == Hello.name { return greet(frame, connection) }
        if frame.name == Ring.name { return sessions.assumeIsolated { $0.rung(id) } }
        if frame.name == StageReport.name { return apps.assumeIsolated { $0.reported(frame.payload, id) } }
        guard connection.hasSaidHello, connection.isCompatible || frame.name == HandOver.name else {
            return fail(
                connection,
                exchange: frame.exchange,
                connection.hasSaidHello
                    ? incompatibility : WireFailure(.badRequest, "The first request must be hello.")
            )
        }
        let process = connection.peerProcess
        let began = EventLoop.monotonic
        ledger.begin(weight, of: id, process)
        loop.startTask {
            let result: Result<RouteAnswer, WireFailure>
            do {
                result = .success(try await self.route(frame, connection: id))
            } catch {
                result = .failure(Self.failure(for: error))
            }
            self.ledger.end(weight, of: id, process)
            self.line.release(process)
            self.log.debug("a request was answered", Self.metadata(frame, id, result, since: began))
            self.answer(id, exchange: frame.exchange, result)
        }
    }

    private static func metadata(
        _ frame: WireFrame,
        _ id: UInt64,
        _ result: Result<RouteAnswer, WireFailure>,
        since began: Double
    ) -> LogMetadata {
        let outcome = if case .failure(let failure) = result { failure.code.rawValue } else { "success" }
        let milliseconds = Int((EventLoop.monotonic - began) * 1000)  // checked: our own clock
        return ["request": frame.name, "connection": id, "outcome": outcome, "milliseconds": milliseconds]
    }

    private func greet(_ frame: WireFrame, _ connection: Connection) {
        guard !connection.isCompatible else {
            return fail(connection, exchange: frame.exchange, WireFailure(.badRequest, "Hello is said once."))
        }
        if !connection.hasSaidHello { connection.greeting = .incompatible }
        guard let hello = try? WireCoding.decode(Hello.self, from: frame.payload, values: 100) else {
            return fail(connection, exchange: frame.exchange, WireFailure(.badRequest, "That hello cannot be read."))
        }
        connection.greeting = hello.protocolVersion == Hello.protocolVersion ? .compatible : .incompatible
        guard connection.isCompatible else {
            return fail(connection, exchange: frame.exchange, incompatibility)
        }
        let reply = Hello.Reply(version: .current, protocolVersion: Hello.protocolVersion, processID: getpid())
        if let payload = try? WireCoding.encode(reply) {
            send(WireFrame(kind: .reply, exchange: frame.exchange, payload: payload), to: connection)
        }
    }

    private var incompatibility: WireFailure {
        WireFailure(
            .incompatible,
            "This daemon is Offstage \(OffstageVersion.current) and speaks protocol \(Hello.protocolVersion) only: use the same version of the command and the daemon."
        )
    }

    private func answer(_ id: UInt64, exchange: UInt32, _ result: Result<RouteAnswer, WireFailure>) {
        guard let connection = connections[id] else {
            // The connection ended during the work, and there is no other report of that.
            if case .success(let answer) = result, answer.descriptor >= 0 { close(answer.descriptor) }
            return connectionEnded(id)
        }
        switch result {
        case .success(let answer) where answer.payload.count > WireFrame.maximumLength - 512:
            if answer.descriptor >= 0 { close(answer.descriptor) }
            fail(
                connection,
                exchange: exchange,
                WireFailure(.badRequest, "The answer is longer than the protocol allows: ask for less at once.")
            )
        case .success(let answer):
            let frame = WireFrame(kind: .reply, exchange: exchange, payload: answer.payload)
            send(frame, descriptor: answer.descriptor, to: connection)
            answer.afterwards?()
        case .failure(let failure): fail(connection, exchange: exchange, failure)
        }
        guard connections[id] != nil else { return }
        resume(connection)
        settle(connection)
    }

    private func fail(_ connection: Connection, exchange: UInt32, _ failure: WireFailure) {
        guard let payload = try? WireCoding.encode(failure) else { return }
        send(WireFrame(kind: .failure, exchange: exchange, payload: payload), to: connection)
    }

    /// Sends an event; on the loop.
    func sendEvent(_ event: some Encodable, named name: String, to id: UInt64) {
        guard connections[id] != nil, let payload = try? WireCoding.encode(event) else { return }
        sendEvent(encoded: payload, named: name, to: id)
    }

    /// Sends an event that goes to several connections and was encoded once.
    func sendEvent(encoded payload: [UInt8], named name: String, to id: UInt64) {
        guard let connection = connections[id], !connection.isEnding else { return }
        send(WireFrame(kind: .event, exchange: 0, name: name, payload: payload), to: connection)
    }

    private func send(_ frame: WireFrame, descriptor: Int32 = -1, to connection: Connection) {
        if connection.send(frame, descriptor: descriptor) { settle(connection) } else { doom(connection) }
    }

    /// Watches a connection for the events that can be handled now, and counts its memory use.
    private func settle(_ connection: Connection) {
        guard let watch = connection.watch, connections[connection.id] != nil, !connection.isEnding else { return }
        var events: UInt32 = 0
        if !connection.hasFrames, connection.heldFrame == nil { events |= offstage_epoll_in }
        if connection.hasUnsent { events |= offstage_epoll_out }
        if events != connection.watchedEvents {
            guard loop.modify(watch, events: events) else {
                log.error("a connection was closed, since it cannot be watched", ["reason": ErrorNumber(errno)])
                return doom(connection)
            }
            connection.watchedEvents = events
        }
        if !connection.isMidFrame {
            connection.frameBegan = nil
        } else if connection.frameBegan == nil {
            connection.frameBegan = loop.uptime
            if !connection.isOfApp { setAlarm(within: Connection.budget.secondsOfFrame) }
        }
        bytes.set(connection.heldBytes, for: connection.id, of: connection.peerProcess)
        if let victim = bytes.victim, let other = connections[victim] {
            bytes.remove(victim)
            let amount = SocketBudget().bytes >> 20
            log.error(
                "a connection was closed, since all together hold too much data",
                ["process": other.peerProcess, "limit": "\(amount) MiB"]
            )
            doom(other)
        }
    }

    func drop(_ connection: Connection) {
        guard connections.remove(connection) else { return }
        let (id, process) = (connection.id, connection.peerProcess)
        line.remove(id, of: process)
        departed.remove(id, of: process)
        bytes.remove(id)
        if let watch = connection.watch { loop.unwatch(watch) }
        connection.closeAll()
        log.debug("a connection was closed", ["connection": id, "process": process])
        connectionEnded(id)
        let observations = connection.observations.tokens
        if !observations.isEmpty {
            queue.assumeIsolated { queue in
                for observation in observations { queue.stopObserving(observation) }
            }
        }
    }

    /// Releases everything kept for the connection; called again after a request that outlasted it.
    private func connectionEnded(_ id: UInt64) {
        inquiries.connectionEnded(id)
        sessions.assumeIsolated { $0.connectionEnded(id) }
        apps.assumeIsolated { $0.connectionEnded(id) }
        tasks.assumeIsolated { $0.connectionEnded(id) }
        notifications.assumeIsolated { $0.connectionEnded(id) }
        queue.assumeIsolated { $0.connectionEnded(id) }
    }

    /// The kernel's information about a connection's peer: its process number, and a pidfd or -1.
    func peer(of id: UInt64) -> (process: Int32, pidfd: Int32)? {
        connections.peer(of: id)
    }
}
