// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
package import OffstageCore
import OffstageFiles
package import OffstageRuntime

/// Keeps the daemon's socket where clients find it, along with the lock file that names its path. Either is restored if
/// it is removed: the end of a log-in session removes everything in its runtime folder.
///
/// Only on the loop. It wakes only when the kernel reports a removal from one of their folders.
package final class SocketRestorer {
    private let loop: EventLoop
    private let environment: [String: String]
    private let paths: OffstagePaths
    private let log: Log
    /// The descriptor of the lock file, which contains the socket's path.
    private var lock: Int32
    /// The folder of the lock file, which is also locked.
    private let store: PathIdentity?
    /// Whether the daemon made the socket, and therefore removes it.
    private var isOwn: Bool
    private let alarm: EventLoop.Alarm
    /// Reports changes of folders; negative if the kernel does not support this.
    private let notifier: Int32
    private var watch: EventLoop.Watch?
    private var identity: PathIdentity?
    private var failures = 0
    /// The path at which clients reach the daemon.
    package private(set) var path: String
    /// Replaces the former socket with a new one.
    private var replace: ((Int32) -> Void)?

    /// Identifies the file or folder that a path leads to.
    private struct PathIdentity: Equatable {
        var device: UInt64
        var inode: UInt64

        init?(_ path: String) {
            var status = stat()
            guard lstat(path, &status) == 0 else { return nil }
            (device, inode) = (UInt64(clamping: status.st_dev), UInt64(clamping: status.st_ino))
        }
    }

    /// Seconds before a removed file is restored: a program that removes a folder should be able to finish first.
    private static let delay = 0.25
    private static let backoff = Backoff(first: 0.5, longest: 60)

    /// - Parameters:
    ///   - loop: the daemon's loop.
    ///   - paths: the daemon's paths.
    ///   - place: where it listens at first.
    ///   - log: the daemon's log.
    package init(loop: EventLoop, paths: OffstagePaths, place: DaemonPlace, log: Log) {
        self.loop = loop
        self.paths = paths
        self.log = log
        environment = place.environment
        lock = place.lock
        isOwn = !place.isInherited
        alarm = loop.makeAlarm()
        notifier = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        path = (place.isInherited ? ListeningSocket.path(of: place.listener) : nil) ?? paths.socket
        identity = PathIdentity(path)
        store = PathIdentity(DaemonFolders.folder(of: paths.lock))
    }

    /// Records the socket's path, and watches it from now on.
    package func start(replace: @escaping (Int32) -> Void) {
        self.replace = replace
        loop.onAlarm(alarm) { [weak self] in self?.look() }
        if notifier >= 0 {
            watch = loop.watch(notifier, events: offstage_epoll_in) { [weak self] _ in self?.folderChanged() }
        }
        settle()
    }

    /// Removes the socket and its address when the daemon ends.
    package func end() {
        if isOwn, identity != nil, identity == PathIdentity(path) { unlink(path) }
        _ = ftruncate(lock, 0)
    }

    private func settle() {
        failures = 0
        write(DaemonAddress(process: getpid(), socket: path))
        guard notifier >= 0 else { return }
        let gone = IN_DELETE | IN_MOVED_FROM | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR
        for place in [path, paths.lock] {
            inotify_add_watch(notifier, DaemonFolders.folder(of: place), UInt32(clamping: gone))
        }
        // Notices anything that was removed before the watch began.
        loop.setAlarm(alarm, uptime: loop.uptime + Self.delay)
    }

    private func write(_ address: DaemonAddress) {
        let text = address.text
        _ = ftruncate(lock, 0)
        _ = pwrite(lock, text, text.count, 0)
    }

    private func folderChanged() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while read(notifier, &buffer, buffer.count) > 0 {}
        loop.setAlarm(alarm, uptime: loop.uptime + Self.delay)
    }

    private func look() {
        // If even the store's folder is gone, there is nothing to restore, and no client looks for it.
        guard isLockInPlace || isLockMade() else { return }
        guard identity == nil || identity != PathIdentity(path) else { return }
        // A daemon with another store may use the same path: two daemons that take it from each other would never stop.
        guard !ListeningSocket.isAnswered(at: path) else {
            failures = min(failures + 1, 16)  // checked: our own count
            if failures == 1 { log.error("another daemon listens where this one did", ["socket": path]) }
            return loop.setAlarm(alarm, uptime: loop.uptime + Self.backoff.longest)
        }
        do throws(DaemonError) {
            try make()
            log.notice("the socket had been removed, and was restored", ["socket": path])
            settle()
        } catch {
            failures = min(failures + 1, 16)  // checked: our own count
            if failures == 1 { log.error("no command reaches the daemon", ["reason": error.sentence]) }
            loop.setAlarm(alarm, uptime: loop.uptime + Self.backoff.delay(after: failures))
        }
    }

    /// Makes the socket again. Its path is determined anew: a session's runtime folder may have been removed with it.
    private func make() throws(DaemonError) {
        let place: String
        do { place = try OffstagePaths.ofThisUser(environment).socket } catch { throw .settings(error) }
        let folder = DaemonFolders.folder(of: place)
        try DaemonFolders.make(folder)
        try DaemonFolders.checkPrivate(folder)
        let listener = try ListeningSocket.make(at: place)
        isOwn = true
        path = place
        identity = PathIdentity(place)
        replace?(listener)
    }

    /// Acquires the lock again, with a new file of that name. Otherwise a client would find no daemon and could not
    /// start one, because the folder is locked. Returns whether the file is in place; if another process holds it for a
    /// moment, a later attempt follows.
    private func isLockMade() -> Bool {
        guard store != nil, store == PathIdentity(DaemonFolders.folder(of: paths.lock)) else { return false }
        let made = open(paths.lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard made >= 0, flock(made, LOCK_EX | LOCK_NB) == 0 else {
            if made >= 0 { close(made) }
            failures = min(failures + 1, 16)  // checked: our own count
            if failures == 1 {
                log.error("the lock file has been removed and cannot be restored yet", ["file": paths.lock])
            }
            loop.setAlarm(alarm, uptime: loop.uptime + Self.backoff.delay(after: failures))
            return false
        }
        close(lock)
        lock = made
        failures = 0
        write(DaemonAddress(process: getpid(), socket: path))
        log.notice("the lock file had been removed, and was restored", ["file": paths.lock])
        return true
    }

    private var isLockInPlace: Bool {
        var (held, there) = (stat(), stat())
        return fstat(lock, &held) == 0 && lstat(paths.lock, &there) == 0 && held.st_ino == there.st_ino
            && held.st_dev == there.st_dev
    }
}
