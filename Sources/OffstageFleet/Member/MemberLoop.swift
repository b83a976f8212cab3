// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc

/// The member's main thread, which waits for the database, the daemon, signals and timers.
final class MemberLoop {
    private let member: FleetMember
    private let signals: Int32
    /// Whether anything was done since memory was last released.
    private var hasWorked = true

    /// The shortest wait, in milliseconds, for which memory is released, as its contents must be read again afterwards.
    private static let shortestRest: Int32 = 5000

    init(_ member: FleetMember, signals: Int32) {
        self.member = member
        self.signals = signals
    }

    /// Runs until a signal requests termination.
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

    /// Releases the memory of the last turn, if no rows are held and a longer wait begins. The pages of the program and
    /// its libraries stay in the page cache, where the next turn finds them, unless the kernel has reclaimed them.
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

    /// Whether a signal requests termination. SIGCHLD, as when a started daemon ends, does not.
    private var isSignalled: Bool {
        let signal = offstage_signalfd_read(signals)
        return signal != 0 && signal != SIGCHLD
    }

    /// Milliseconds until something is due; -1 if nothing is.
    private var timeout: Int32 {
        guard let due = member.due else { return -1 }
        // checked: between 0 and an hour
        return Int32(max(0, min(due - member.seconds, 3600)) * 1000 + 0.999)
    }
}
