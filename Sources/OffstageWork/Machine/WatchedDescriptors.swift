// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc

/// An epoll of the descriptors by which news of the machine's conditions come. It is watched itself, and stays the same while
/// what it watches changes.
///
/// Used on one thread; never waits.
final class WatchedDescriptors {
    enum Source: UInt64 {
        case devices = 1
        case trigger
        case meter
    }

    /// To be watched for reading; -1 when there is none.
    let descriptor: Int32

    init() { descriptor = offstage_epoll_create() }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// - Returns: whether the descriptor is watched.
    func add(_ opened: Int32, _ source: Source, _ events: UInt32) -> Bool {
        descriptor >= 0 && offstage_epoll_ctl(descriptor, offstage_epoll_add, opened, events, source.rawValue) == 0
    }

    /// Before the descriptor is closed: a child that has just been forked holds it too, and what is open somewhere is
    /// reported on.
    func remove(_ opened: Int32) { _ = offstage_epoll_ctl(descriptor, offstage_epoll_del, opened, 0, 0) }

    /// Whether what is watched has failed: it would be ready for ever.
    func hasFailed(_ source: Source) -> Bool {
        var tokens = [UInt64](repeating: 0, count: 2)
        var events = [UInt32](repeating: 0, count: 2)
        let count = offstage_epoll_wait(descriptor, &tokens, &events, 2, 0)
        return (0..<Int(max(0, count))).contains {
            tokens[$0] == source.rawValue && events[$0] & offstage_epoll_err != 0
        }
    }
}
