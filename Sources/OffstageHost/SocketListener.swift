// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
package import OffstageRuntime

/// The socket that accepts connections. It passes each one on, also when the daemon may open no more files.
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
    /// Kept open so that there is always one descriptor left to refuse a peer with.
    private var reserve = open("/dev/null", O_RDONLY | O_CLOEXEC)
    private var admit: @Sendable (Int32) -> Void = { close($0) }

    /// Seconds for which the socket is ignored when the waiting peers cannot be served.
    private static let pause = 0.1

    package init(_ descriptor: Int32, loop: EventLoop, log: Log) {
        self.descriptor = descriptor
        self.loop = loop
        self.log = log
        alarm = loop.makeAlarm()
    }

    /// - Parameter admit: takes a new connection, on the loop.
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

    /// Watches the socket. If that fails, it is tried again: otherwise the daemon would run and answer nobody.
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
            // The peer has gone again.
            case ECONNABORTED, EINTR, EPERM, EPROTO: continue
            case EMFILE, ENFILE: if !refuseOne() { return pauseListening() }
            default: return pauseListening()
            }
        }
    }

    /// Accepts a waiting connection and closes it, so that the peer knows; false if there is no descriptor even for
    /// that.
    private func refuseOne() -> Bool {
        if reserve >= 0 { close(reserve) }
        let accepted = offstage_accept(descriptor)
        if accepted >= 0 { close(accepted) }
        reserve = open("/dev/null", O_RDONLY | O_CLOEXEC)
        if accepted >= 0 { log.error("a connection was closed, since the daemon may open no more files") }
        return accepted >= 0
    }

    /// Peers that wait at the listener would keep waking the loop, so it is ignored for a moment.
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
