// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
package import OffstageRuntime

/// The socket that accepts connections. It passes each one on, even when the daemon cannot open any more files.
///
/// Belongs to the daemon's server; every call is on the loop.
package final class SocketListener {
    private let loop: EventLoop
    private let log: Log
    private let alarm: EventLoop.Alarm
    private var descriptor: Int32
    private var watch: EventLoop.Watch?
    private var isPaused = false
    private var isStopped = false
    /// Kept open so that one descriptor is always available to refuse a peer.
    private var reserve = open("/dev/null", O_RDONLY | O_CLOEXEC)
    private var admit: @Sendable (Int32) -> Void = { close($0) }

    /// How long the socket is ignored, in seconds, when the waiting peers cannot be served.
    private static let pause = 0.1

    package init(_ descriptor: Int32, loop: EventLoop, log: Log) {
        self.descriptor = descriptor
        self.loop = loop
        self.log = log
        alarm = loop.makeAlarm()
    }

    /// - Parameter admit: receives a new connection, on the loop.
    package func start(_ admit: @escaping @Sendable (Int32) -> Void) {
        self.admit = admit
        loop.onAlarm(alarm) { [weak self] in self?.goOn() }
        listen()
    }

    /// Accepts no more connections.
    package func stop() {
        isStopped = true
        unwatch()
    }

    /// Accepts connections at another socket instead of the former one.
    package func listen(at other: Int32) {
        unwatch()
        close(descriptor)
        descriptor = other
        if !isPaused, !isStopped { listen() }
    }

    /// Watches the socket. If that fails, it is tried again: otherwise the daemon would run but answer no client.
    private func listen() {
        guard watch == nil else { return }
        watch = loop.watch(descriptor, events: offstage_epoll_in) { [weak self] _ in self?.acceptAll() }
        guard watch == nil else { return }
        log.error("new connections cannot be detected: the daemon tries again", ["reason": ErrorNumber(errno)])
        pauseListening()
    }

    private func unwatch() {
        if let watch { loop.unwatch(watch) }
        watch = nil
    }

    private func acceptAll() {
        for _ in 0..<64 {
            let accepted = offstage_accept(descriptor)
            if accepted >= 0 {
                admit(accepted)
                continue
            }
            switch errno {
            case EAGAIN: return
            // The peer has already gone.
            case ECONNABORTED, EINTR, EPERM, EPROTO: continue
            case EMFILE, ENFILE: if !refuseOne() { return pauseListening() }
            default: return pauseListening()
            }
        }
    }

    /// Accepts a waiting connection and closes it, to notify the peer; false if there is not even a descriptor for
    /// that.
    private func refuseOne() -> Bool {
        if reserve >= 0 { close(reserve) }
        let accepted = offstage_accept(descriptor)
        if accepted >= 0 { close(accepted) }
        reserve = open("/dev/null", O_RDONLY | O_CLOEXEC)
        if accepted >= 0 { log.error("a connection was closed, since the daemon may open no more files") }
        return accepted >= 0
    }

    /// Ignores the socket for a moment, because peers that wait there would keep waking the loop.
    private func pauseListening() {
        unwatch()
        isPaused = true
        loop.setAlarm(alarm, uptime: loop.uptime + Self.pause)
    }

    private func goOn() {
        guard isPaused else { return }
        isPaused = false
        if reserve < 0 { reserve = open("/dev/null", O_RDONLY | O_CLOEXEC) }
        listen()
    }
}
