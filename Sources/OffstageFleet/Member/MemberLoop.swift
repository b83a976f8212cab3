// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc

/// The member's one thread: waits for the database, the daemon, signals and time.
final class MemberLoop {
    private let member: FleetMember
    private let signals: Int32
    /// Whether something was done since memory was last let go of.
    private var hasWorked = true

    /// The shortest wait, in milliseconds, for which memory is let go of: what it holds is read again behind it.
    private static let shortestRest: Int32 = 5000

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
            let timeout = timeout
            rest(timeout)
            _ = poll(&entries, nfds_t(entries.count), timeout)
            hasWorked = true
            if entries[0].revents != 0, isSignalled { return }
            if entries[1].revents != 0 { member.threads.deliver() }
            if Int32(entries[2].revents) & ~POLLOUT != 0 { member.daemon.receive() }
            if entries[3].revents != 0 { member.database.proceed() }
        }
    }

    /// Lets go of what the last turn has needed, if nothing is held and a longer wait begins. The pages of the program and its
    /// libraries stay in the cache of files, from where the next turn has them without a disk; the kernel may use them meanwhile.
    private func rest(_ timeout: Int32) {
        let isLong = timeout < 0 || timeout >= Self.shortestRest
        guard hasWorked, isLong, member.table.isEmpty, !member.turns.isTurning else { return }
        hasWorked = false
        offstage_trim_heap()
        offstage_unmap_unused_code()
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
