// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc

/// The member's one thread: waits for the database, the daemon, signals and time.
final class MemberLoop {
    private let member: FleetMember
    private let signals: Int32

    init(_ member: FleetMember, signals: Int32) {
        self.member = member
        self.signals = signals
    }

    /// Runs until a signal asks for the end.
    func run() {
        while true {
            member.turn()
            var entries = [
                entry(signals, POLLIN), entry(member.threads.descriptor, POLLIN),
                entry(member.daemon.descriptor, member.daemon.hasOutgoing ? POLLIN | POLLOUT : POLLIN),
                entry(member.database.descriptor, databaseEvents),
            ]
            _ = poll(&entries, nfds_t(entries.count), timeout)
            if entries[0].revents != 0, isSignalled { return }
            if entries[1].revents != 0 { member.threads.deliver() }
            if Int32(entries[2].revents) & ~POLLOUT != 0 { member.daemon.receive() }
            if entries[3].revents != 0 { member.database.proceed() }
        }
    }

    private func entry(_ descriptor: Int32, _ events: Int32) -> pollfd {
        pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0)
    }

    private var databaseEvents: Int32 {
        var events: Int32 = 0
        if member.database.interest.contains(.reading) { events |= POLLIN }
        if member.database.interest.contains(.writing) { events |= POLLOUT }
        return events
    }

    /// Whether a signal asks for the end; an ended child, such as a daemon that was started, does not.
    private var isSignalled: Bool {
        let signal = offstage_signalfd_read(signals)
        return signal != 0 && signal != SIGCHLD
    }

    /// Milliseconds until something is due; -1 for nothing.
    private var timeout: Int32 {
        guard let due = member.due else { return -1 }
        // checked: between 0 and an hour
        return Int32(max(0, min(due - member.seconds, 3600)) * 1000 + 0.999)
    }
}
