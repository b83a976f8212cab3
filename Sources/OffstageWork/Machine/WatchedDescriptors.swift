// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc

/// An epoll of the descriptors that deliver news of the machine's conditions. It is itself watched, and stays the same
/// while the set of its descriptors changes.
///
/// Used on one thread; never waits.
final class WatchedDescriptors {
    enum Source: UInt64 {
        case devices = 1
        case trigger
        case meter
    }

    /// The descriptor to watch for reading; -1 if there is none.
    let descriptor: Int32

    init() { descriptor = offstage_epoll_create() }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// - Returns: whether the descriptor is watched.
    func add(_ opened: Int32, _ source: Source, _ events: UInt32) -> Bool {
        descriptor >= 0 && offstage_epoll_ctl(descriptor, offstage_epoll_add, opened, events, source.rawValue) == 0
    }

    /// Removes a descriptor before it is closed: a child that has just been forked holds it too, and epoll reports on
    /// descriptors that are open anywhere.
    func remove(_ opened: Int32) { _ = offstage_epoll_ctl(descriptor, offstage_epoll_del, opened, 0, 0) }

    /// Whether a watched source has failed: it would be ready forever.
    func hasFailed(_ source: Source) -> Bool {
        var tokens = [UInt64](repeating: 0, count: 2)
        var events = [UInt32](repeating: 0, count: 2)
        let count = offstage_epoll_wait(descriptor, &tokens, &events, 2, 0)
        return (0..<Int(max(0, count))).contains {
            tokens[$0] == source.rawValue && events[$0] & offstage_epoll_err != 0
        }
    }
}
