// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
package import OffstageCore
package import OffstageRuntime

/// Follows the kernel's reports on links, addresses and routes, and derives which hosts can be reached.
///
/// Only used on the daemon's loop: not `Sendable`, and never waits after its init. If the kernel provides no such
/// socket, as in a sandbox, nothing is known and every host counts as reachable.
package final class NetworkMonitor {
    /// The descriptor to watch for reading; -1 if there is none.
    package let fileDescriptor: Int32
    /// The present state; empty if the kernel does not report it.
    package private(set) var paths = NetworkPaths()
    /// Whether the state of the network is known.
    package var isAvailable: Bool { paths.isKnown }

    /// The kinds of listings that the kernel sends, one after the other.
    private enum Stage: Int32 {
        case links, addresses, routes
    }

    /// A listing in progress: built beside `paths`, which it replaces at the end.
    private struct Listing {
        var stage: Stage
        var paths = NetworkPaths()
    }

    /// The number of consecutive failures to read the socket.
    private var failures = 0
    private static let patienceWithFailures = 8
    /// Whether the socket is no longer usable. It may be readable forever, so it must not be watched.
    private var isBroken: Bool { failures >= Self.patienceWithFailures }

    private var listing: Listing?
    /// Whether another listing must follow, because of a removal that the current one may have missed.
    private var wantsListing = false
    /// Starts at a random number, because changes made by other programs carry their numbers.
    private var sequence = UInt32.random(in: .min ... .max)

    /// Opens the socket and reads the present state before it returns.
    ///
    /// - Parameter patience: milliseconds without a reply after which the kernel counts as having no such socket.
    package init(patience: Int32 = 1000) {
        fileDescriptor = offstage_netlink_open()
        guard fileDescriptor >= 0 else { return }
        wantsListing = true
        ask()
        while listing != nil {
            var waiting = pollfd(fd: fileDescriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, patience) == 1 else { break }
            _ = readable()
        }
    }

    deinit {
        if fileDescriptor >= 0 { close(fileDescriptor) }
    }

    /// Why no connection to the host can currently be made; nil if one may be tried.
    package func problem(reaching host: String) -> NetworkProblem? {
        paths.problem(reaching: host)
    }

    /// Follows the kernel's reports on a loop, which this monitor belongs to from then on.
    ///
    /// - Parameters:
    ///   - loop: calls `changed`, and the methods of this monitor.
    ///   - log: receives a record if the changes can no longer be followed.
    ///   - changed: called when a host has become reachable or unreachable.
    package func watch(on loop: EventLoop, log: Log, changed: @escaping () -> Void) {
        guard isAvailable else { return }
        var watch: EventLoop.Watch?
        watch = loop.watch(fileDescriptor, events: offstage_epoll_in) { [weak self] _ in
            guard let self else { return }
            let hasChanged = readable()
            if isBroken, let ended = watch {
                loop.unwatch(ended)
                watch = nil
                log.notice("the kernel no longer reports changes of the network: they are detected by trying")
            }
            if hasChanged { changed() }
        }
        if watch == nil { log.notice("the network is not watched: its changes are detected by trying") }
    }

    /// Handles all received messages.
    ///
    /// - Returns: whether anything has changed, so that waits for the network must be checked.
    package func readable() -> Bool {
        let before = paths
        // The kernel fits its messages to the size of the read buffer; this is the most it ever sends.
        withUnsafeTemporaryAllocation(byteCount: 32 << 10, alignment: 8) { buffer in
            guard let start = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            while true {
                let count = recv(fileDescriptor, start, buffer.count, 0)
                if count > 0 {
                    failures = 0
                    parse(start, count: count)
                } else if count < 0, errno == EINTR {
                    continue
                } else if count < 0, errno == EAGAIN {
                    return
                } else {
                    // Messages were lost (ENOBUFS): only a new listing contains their information.
                    listing = nil
                    wantsListing = true
                    failures += 1  // checked: it ends when it is broken
                    if isBroken {
                        wantsListing = false
                        return giveUp()
                    }
                }
            }
        }
        ask()
        return before != paths
    }

    /// Requests a new listing, if one is wanted and none is in progress.
    private func ask() {
        guard wantsListing, listing == nil else { return }
        wantsListing = false
        request(Listing(stage: .links))
    }

    private func request(_ next: Listing) {
        sequence &+= 1
        if offstage_netlink_request(fileDescriptor, next.stage.rawValue, sequence) == 0 {
            listing = next
        } else {
            giveUp()
        }
    }

    private func parse(_ start: UnsafePointer<UInt8>, count: Int) {
        var position = 0
        while position < count {
            var item = offstage_netlink_item()
            let used = offstage_netlink_parse(start + position, count - position, &item)
            guard used > 0 else { return }
            position += used
            switch item.kind {
            case 4 where item.sequence == sequence: endStage()
            case 5 where item.sequence == sequence: giveUp()
            default: apply(NetworkNews(item))
            }
        }
    }

    /// Applies one item, which may be part of a listing or a change: both contain the present state.
    private func apply(_ news: NetworkNews?) {
        guard let news else { return }
        if listing == nil, !news.matters(to: paths) { return }
        switch news {
        case .present(let change):
            if needsListing(after: change) { wantsListing = true }
            paths.apply(change)
            listing?.paths.apply(change)
        case .addressGone, .routeGone:
            // Another of the same kind may be left, and the kernel does not report routes that vanish with a link. The
            // listing will show this; until then nothing that may continue is interrupted.
            wantsListing = true
        }
    }

    /// Whether a change may have caused further changes that the kernel does not report.
    private func needsListing(after change: NetworkChange) -> Bool {
        guard listing == nil else { return false }
        switch change {
        case .link(let index, _, let isRunning): return !paths.isLink(index, running: isRunning)
        case .route(let route): return paths.hasRival(of: route)
        default: return false
        }
    }

    private func endStage() {
        guard var ended = listing else { return }
        if let next = Stage(rawValue: ended.stage.rawValue + 1) {
            ended.stage = next
            request(ended)
        } else {
            paths = ended.paths
            paths.isKnown = true
            listing = nil
        }
    }

    /// Gives up because the kernel sends no listing. The known state may be wrong, so it counts as unknown.
    private func giveUp() {
        listing = nil
        paths = NetworkPaths()
    }
}
