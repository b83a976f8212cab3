// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageClient

/// The program's only thread, which waits for browsers, the daemon and timers.
final class PageLoop {
    private let servers: [PageServer]
    private let responder: PageResponder
    private let signals: Int32

    init(_ servers: [PageServer], _ responder: PageResponder, signals: Int32) {
        self.servers = servers
        self.responder = responder
        self.signals = signals
    }

    /// Serves until the page was unused for long, or until a signal arrives.
    func run() {
        while !responder.attendance.isOver(now: PageClock.now) {
            let sockets = responder.watch.streams.map(\.socket)
            var entries = [pollfd(fd: signals, events: Int16(POLLIN), revents: 0)]
            entries += [responder.line, responder.watch.line].map(Self.entry)
            // libmicrohttpd does not check suspended connections.
            entries += sockets.map { pollfd(fd: $0, events: Int16(truncatingIfNeeded: Self.hungUp), revents: 0) }
            let others = servers.map(\.descriptor) + responder.fleet.descriptors + responder.errands.descriptors
            entries += others.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            poll(&entries, nfds_t(entries.count), timeout)
            if entries[0].revents != 0, isSignalled { break }
            responder.turn(isReadable: Self.isReadable(entries[1]))
            responder.watch.turn(isReadable: Self.isReadable(entries[2]))
            responder.fleet.turn()
            responder.errands.turn()
            for (entry, socket) in zip(entries.dropFirst(3), sockets) where entry.revents != 0 {
                responder.watch.left(socket)
            }
            for server in servers { server.run() }
        }
        responder.stop()
        // Suspended connections resume and new requests are refused, as none may be suspended when a server ends.
        for server in servers { server.run() }
        for server in servers { server.stop() }
    }

    private static func entry(_ line: DaemonLine?) -> pollfd {
        let events = line?.hasOutgoing == true ? POLLIN | POLLOUT : POLLIN
        return pollfd(fd: line?.fileDescriptor ?? -1, events: Int16(events), revents: 0)
    }

    /// Whether there is something to read, or the end of the stream.
    private static func isReadable(_ entry: pollfd) -> Bool { Int32(entry.revents) & ~POLLOUT != 0 }

    /// POLLRDHUP, which Swift's Glibc module does not export, and the conditions that poll always reports.
    private static let hungUp = 0x2000

    /// Whether a signal requests termination. SIGCHLD, as when a started daemon ends, does not.
    private var isSignalled: Bool {
        let signal = offstage_signalfd_read(signals)
        return signal != 0 && signal != SIGCHLD
    }

    /// Milliseconds until something is due; -1 if nothing is.
    private var timeout: Int32 {
        let now = PageClock.now
        let due = [
            responder.due, responder.watch.due, responder.fleet.due, responder.errands.due, responder.attendance.end,
        ].compactMap { $0 }.min()
        let own = due.map { Int32(clamping: Int64(max(0, min($0 - now, 3600)) * 1000 + 0.999)) } ?? -1
        return (servers.map(\.timeout) + [own]).filter { $0 >= 0 }.min() ?? -1
    }
}
