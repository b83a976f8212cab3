// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
package import OffstageCore

/// Hears from the kernel how links, addresses and routes change, and knows from that what can be reached.
///
/// Used on the daemon's loop alone: not `Sendable`, and never waiting once it has been made. When the kernel gives no
/// such socket (a sandbox), nothing is known and every host counts as reachable.
package final class NetworkMonitor {
    /// To be watched for reading; -1 when there is none.
    package let fileDescriptor: Int32
    /// What is known now: nothing where the kernel does not tell.
    package private(set) var paths = NetworkPaths()
    /// Whether anything is known.
    package var isAvailable: Bool { paths.isKnown }

    /// What the kernel tells one after the other when it is asked for everything.
    private enum Stage: Int32 {
        case links, addresses, routes
    }

    /// A listing under way: built up beside `paths` and put in its place at its end.
    private struct Listing {
        var stage: Stage
        var paths = NetworkPaths()
    }

    /// How often in a row the socket could not be read.
    private var failures = 0
    private static let patienceWithFailures = 8
    /// Whether the socket is of no use any more. It may count as ready for ever, so nobody is to watch it.
    package var isBroken: Bool { failures >= Self.patienceWithFailures }

    private var listing: Listing?
    /// Something has gone that a listing may not have noticed, or was not told: another one follows.
    private var wantsListing = false
    /// Beginning somewhere at random, since other programs' numbers come along with changes that they made.
    private var sequence = UInt32.random(in: .min ... .max)

    /// Opens the socket and learns the present state before it returns.
    ///
    /// - Parameter patience: milliseconds after which the kernel's silence counts as having no such socket.
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

    /// Why no connection to the host can be made now; nil when one may be tried.
    package func problem(reaching host: String) -> NetworkProblem? {
        paths.problem(reaching: host)
    }

    /// Takes in everything that has arrived.
    ///
    /// - Returns: whether anything has changed, so that whoever waits for the network is looked at again.
    package func readable() -> Bool {
        let before = paths
        // The kernel fits its messages to what is read at once; this is the most it ever sends.
        withUnsafeTemporaryAllocation(byteCount: 32 << 10, alignment: 8) { buffer in
            guard let start = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            while true {
                let count = recv(fileDescriptor, start, buffer.count, 0)
                if count > 0 {
                    failures = 0
                    take(start, count: count)
                } else if count < 0, errno == EINTR {
                    continue
                } else if count < 0, errno == EAGAIN {
                    return
                } else {
                    // Messages were lost (ENOBUFS): only a new listing tells what they said.
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

    /// Asks for everything anew, if that is wanted and no answer is being waited for.
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

    private func take(_ start: UnsafePointer<UInt8>, count: Int) {
        var position = 0
        while position < count {
            var item = offstage_netlink_item()
            let used = offstage_netlink_parse(start + position, count - position, &item)
            guard used > 0 else { return }
            position += used
            switch item.kind {
            case 4 where item.sequence == sequence: endStage()
            case 5 where item.sequence == sequence: giveUp()
            default: note(NetworkNews(item))
            }
        }
    }

    /// Takes in one thing, which may be part of a listing or a change: both say how it is now.
    private func note(_ news: NetworkNews?) {
        guard let news else { return }
        // A router's routes come and go all day, and more than are kept decide nothing.
        if listing == nil, news.isRoute, paths.hasMore { return }
        switch news {
        case .present(let change):
            if needsListing(after: change) { wantsListing = true }
            paths.apply(change)
            listing?.paths.apply(change)
        case .addressGone, .routeGone:
            // Another of the same kind may be left, and the kernel is silent about routes that go with a link; the
            // listing tells, and until then nothing is broken off that may go on.
            wantsListing = true
        }
    }

    /// Whether a change may have brought others of which the kernel does not speak.
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

    /// The kernel does not list: what is known may be wrong, so nothing is.
    private func giveUp() {
        listing = nil
        paths = NetworkPaths()
    }
}
