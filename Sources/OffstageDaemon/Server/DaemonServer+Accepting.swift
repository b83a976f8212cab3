// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageCore
import OffstageHost
import OffstageProtocol
import OffstageRuntime

/// Decides which connections are admitted, and which make room.
extension DaemonServer {
    /// Accepts connections at another socket instead of the former one.
    func listen(at other: Int32) { listener.listen(at: other) }

    /// Admits a new connection, or closes it.
    func admit(_ descriptor: Int32) {
        var user = uid_t()
        var process = pid_t()
        guard offstage_peer_credentials(descriptor, &user, &process) == 0, user == geteuid() else {
            close(descriptor)
            return
        }
        admit(descriptor, of: process)
    }

    /// Admits a connection from one of this user's processes, or closes it.
    func admit(_ descriptor: Int32, of process: Int32) {
        let connection = Connection(id: connections.makeID(), fileDescriptor: descriptor, peerProcess: process)
        switch connections.ruling(for: process, isBusy: { ledger.isBusy($0) }) {
        case .admitted: break
        case .admittedFor(let other):
            if other.hasSaidHello { warn(other, .tooManyConnections, "Too many connections: others needed the room.") }
            drop(other)
        case .refused(let text):
            warn(connection, .tooManyConnections, "Too many connections: \(text)")
            return connection.closeAll()
        }
        let id = connection.id
        connection.watch = loop.watch(descriptor, events: offstage_epoll_in) { [weak self] events in
            self?.assumeIsolated { $0.ready(id, events: events) }
        }
        guard connection.watch != nil else {
            log.error("a connection was closed, since it cannot be watched", ["reason": ErrorNumber(errno)])
            return connection.closeAll()
        }
        connections.add(connection)
        log.debug("a connection was opened", ["connection": id, "process": process])
    }

    /// Sends a peer the reason why its connection is about to be closed, as far as the peer reads.
    func warn(_ connection: Connection, _ code: WireFailure.Code, _ text: String) {
        guard let payload = try? WireCoding.encode(WireFailure(code, text)) else { return }
        _ = connection.send(WireFrame(kind: .failure, exchange: 0, payload: payload))
    }

    /// An app has claimed the connection.
    func takeForApp(_ id: UInt64) throws(WireFailure) { try connections.takeForApp(id) }

    static var descriptorLimit: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        return Int(clamping: limit.rlim_cur)
    }

    // MARK: Time

    /// Sets the alarm to ring within a number of seconds, unless it rings sooner.
    func setAlarm(within seconds: Double) {
        let due = loop.uptime + seconds
        guard alarmDue.map({ due < $0 }) ?? true else { return }
        alarmDue = due
        loop.setAlarm(alarm, uptime: due)
    }

    /// Drops peers that began a frame and did not finish it in time.
    func endUnfinished() {
        alarmDue = nil
        let now = loop.uptime
        let patience = Connection.budget.secondsOfFrame
        var next: Double?
        for connection in connections.all where !connection.isOfApp {
            guard let began = connection.frameBegan else { continue }
            if now - began < patience {
                next = min(next ?? .infinity, began + patience - now)
            } else {
                warn(connection, .badRequest, "A frame was not complete after \(Int(patience)) seconds.")
                doom(connection)
            }
        }
        if let next { setAlarm(within: next) }
    }
}
