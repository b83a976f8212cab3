// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageCore
import OffstageProtocol

/// Who is let in, and who makes room.
extension DaemonServer {
    /// Hears who connects. What keeps the daemon from hearing is tried again: it would else run and answer nobody.
    func listen() {
        guard listenerWatch == nil else { return }
        listenerWatch = loop.watch(listener, events: offstage_epoll_in) { [weak self] _ in
            self?.assumeIsolated { $0.acceptAll() }
        }
        guard listenerWatch == nil else { return }
        log("new connections cannot be detected (\(String(cString: strerror(errno)))): the daemon tries again")
        pauseListening()
    }

    /// Hears who connects at another socket, in place of the former one.
    func listen(at other: Int32) {
        if let listenerWatch { loop.unwatch(listenerWatch) }
        listenerWatch = nil
        close(listener)
        listener = other
        if !isListenerPaused, !isStopping { listen() }
    }

    private func acceptAll() {
        for _ in 0..<64 {
            let descriptor = offstage_accept(listener)
            if descriptor >= 0 {
                admit(descriptor)
                continue
            }
            switch errno {
            case EAGAIN: return
            // One that has gone again.
            case ECONNABORTED, EINTR, EPERM, EPROTO: continue
            case EMFILE, ENFILE: if !refuseOne() { return pauseListening() }
            default: return pauseListening()
            }
        }
    }

    /// Closes one that waits, so that it knows; false when there is no descriptor even for that.
    private func refuseOne() -> Bool {
        if reserve >= 0 { close(reserve) }
        let descriptor = offstage_accept(listener)
        if descriptor >= 0 { close(descriptor) }
        reserve = open("/dev/null", O_RDONLY | O_CLOEXEC)
        if descriptor >= 0 { log("a connection was closed, since the daemon may open no more files") }
        return descriptor >= 0
    }

    /// Who waits at the listener keeps waking the loop: for a moment it is not looked at.
    private func pauseListening() {
        if let listenerWatch { loop.unwatch(listenerWatch) }
        listenerWatch = nil
        isListenerPaused = true
        setAlarm(within: 0.1)
    }

    private func admit(_ descriptor: Int32) {
        var user = uid_t()
        var process = pid_t()
        guard offstage_peer_credentials(descriptor, &user, &process) == 0, user == geteuid() else {
            close(descriptor)
            return
        }
        let connection = Connection(id: nextConnection, fileDescriptor: descriptor, peerProcess: process)
        nextConnection += 1
        let limit = Self.processBudget.connections
        if perProcess[process, default: 0] >= limit {
            return refuse(connection, "one process may have \(limit) connections: close some.")
        }
        if connections.count - appConnections >= Self.budget.connections {
            guard let victim = ConnectionRoll.victim(among: roll, for: process), let other = connections[victim] else {
                return refuse(connection, "the daemon has \(Self.budget.connections) connections: close some.")
            }
            if other.hasSaidHello { tell(other, .tooManyConnections, "Too many connections: others needed the room.") }
            drop(other)
        }
        let id = connection.id
        connection.watch = loop.watch(descriptor, events: offstage_epoll_in) { [weak self] events in
            self?.assumeIsolated { $0.ready(id, events: events) }
        }
        guard connection.watch != nil else {
            log("a connection was closed, since it cannot be watched (\(String(cString: strerror(errno))))")
            return connection.closeAll()
        }
        perProcess[process, default: 0] += 1
        connections[id] = connection
    }

    private var roll: [ConnectionRoll.Entry] {
        connections.values.lazy.filter { !$0.isOfApp }.map {
            ConnectionRoll.Entry(
                id: $0.id,
                process: $0.peerProcess,
                hasSaidHello: $0.hasSaidHello,
                isBusy: ledger.isBusy($0.id),
                lastServed: $0.lastServed
            )
        }
    }

    private func refuse(_ connection: Connection, _ text: String) {
        tell(connection, .tooManyConnections, "Too many connections: \(text)")
        connection.closeAll()
    }

    /// Says why a connection is just being closed, as far as its peer reads.
    func tell(_ connection: Connection, _ code: WireFailure.Code, _ text: String) {
        guard let payload = try? WireCoding.encode(WireFailure(code, text)) else { return }
        _ = connection.send(WireFrame(kind: .failure, exchange: 0, payload: payload))
    }

    /// An app has taken the connection for its own.
    func takeForApp(_ id: UInt64) throws(WireFailure) {
        guard let connection = connections[id], !connection.isOfApp else { return }
        guard appConnections < appConnectionLimit else {
            throw WireFailure(
                .tooManyConnections,
                "Too many connections: apps have \(appConnectionLimit). Terminate some, or raise the limit of open files."
            )
        }
        connection.isOfApp = true
        appConnections += 1
    }

    static var descriptorLimit: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        return Int(clamping: limit.rlim_cur)
    }

    // MARK: Time

    /// Has the alarm ring in so many seconds, if it would not ring sooner.
    func setAlarm(within seconds: Double) {
        let due = loop.uptime + seconds
        guard alarmDue.map({ due < $0 }) ?? true else { return }
        alarmDue = due
        loop.setAlarm(alarm, uptime: due)
    }

    func alarmRang() {
        alarmDue = nil
        if isListenerPaused {
            isListenerPaused = false
            if reserve < 0 { reserve = open("/dev/null", O_RDONLY | O_CLOEXEC) }
            listen()
        }
        endUnfinished()
    }

    /// Drops whoever has begun a frame and not come to its end.
    private func endUnfinished() {
        let now = loop.uptime
        let patience = Connection.budget.secondsOfFrame
        var next: Double?
        for connection in connections.values where !connection.isOfApp {
            guard let began = connection.frameBegan else { continue }
            if now - began < patience {
                next = min(next ?? .infinity, began + patience - now)
            } else {
                tell(connection, .badRequest, "A frame has not come to its end in \(Int(patience)) seconds.")
                doom(connection)
            }
        }
        if let next { setAlarm(within: next) }
    }
}
