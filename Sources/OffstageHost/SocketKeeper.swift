// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
package import OffstageCore
import OffstageFiles
package import OffstageRuntime

/// Keeps the daemon's socket where clients find it, and the lock file that says where: what somebody has removed is made
/// again, as the end of a log-in session removes all that is in its runtime folder.
///
/// Only on the loop. Nothing wakes it but the kernel's word that something in the folder of one of them has gone.
package final class SocketKeeper {
    private let loop: EventLoop
    private let environment: [String: String]
    private let paths: OffstagePaths
    private let log: Log
    /// Of the lock file, in which the socket's place stands.
    private var lock: Int32
    /// The folder of the lock file, which is locked as well.
    private let store: PathIdentity?
    /// Whether the daemon has made the socket, and removes it.
    private var isOwn: Bool
    private let alarm: EventLoop.Alarm
    /// The kernel's word of folders; negative where it gives none.
    private let notifier: Int32
    private var watch: EventLoop.Watch?
    private var identity: PathIdentity?
    private var failures = 0
    /// Where clients reach the daemon.
    package private(set) var path: String
    /// Takes a new socket in place of the former one.
    private var replace: ((Int32) -> Void)?

    /// Which file or folder a path leads to.
    private struct PathIdentity: Equatable {
        var device: UInt64
        var inode: UInt64

        init?(_ path: String) {
            var status = stat()
            guard lstat(path, &status) == 0 else { return nil }
            (device, inode) = (UInt64(clamping: status.st_dev), UInt64(clamping: status.st_ino))
        }
    }

    /// Seconds until what has gone is made again: whoever removes a folder is to come to the end of it first.
    private static let delay = 0.25
    /// Seconds until it is tried once more, at most.
    private static let longestDelay = 60.0

    /// - Parameters:
    ///   - loop: the daemon's.
    ///   - paths: the daemon's places.
    ///   - place: where it listens to begin with.
    ///   - log: the daemon's.
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

    /// Says where the socket is, and has an eye on it from now on.
    package func start(replace: @escaping (Int32) -> Void) {
        self.replace = replace
        loop.onAlarm(alarm) { [weak self] in self?.look() }
        if notifier >= 0 {
            watch = loop.watch(notifier, events: offstage_epoll_in) { [weak self] _ in self?.folderChanged() }
        }
        settle()
    }

    /// The daemon ends: nothing of the socket stays behind.
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
        // What has gone before that is seen now.
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
        // Where not even the store's folder is left there is nothing to come back to, and nobody who looks for it.
        guard isLockInPlace || isLockMade() else { return }
        guard identity == nil || identity != PathIdentity(path) else { return }
        // A daemon with another store may have the same place: two that take it from each other would never end.
        guard !ListeningSocket.isAnswered(at: path) else {
            failures = min(failures + 1, 16)  // checked: our own count
            if failures == 1 { log.error("another daemon listens where this one did", ["socket": path]) }
            return loop.setAlarm(alarm, uptime: loop.uptime + Self.longestDelay)
        }
        do throws(DaemonError) {
            try make()
            log.notice("the socket had been removed, and is there again", ["socket": path])
            settle()
        } catch {
            failures = min(failures + 1, 16)  // checked: our own count
            if failures == 1 { log.error("no command reaches the daemon", ["reason": error.sentence]) }
            loop.setAlarm(alarm, uptime: loop.uptime + min(Self.longestDelay, Double(1 << failures)))
        }
    }

    /// The place is worked out anew: a session's runtime folder may have gone with it.
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

    /// Takes the lock anew, by another file of the name: whoever comes next would find no daemon, and could start none, since
    /// the folder is held. Says whether it is there; if somebody has it for a moment, it is tried once more.
    private func isLockMade() -> Bool {
        guard store != nil, store == PathIdentity(DaemonFolders.folder(of: paths.lock)) else { return false }
        let made = open(paths.lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard made >= 0, flock(made, LOCK_EX | LOCK_NB) == 0 else {
            if made >= 0 { close(made) }
            failures = min(failures + 1, 16)  // checked: our own count
            if failures == 1 {
                log.error("the lock file has been removed and cannot be restored yet", ["file": paths.lock])
            }
            loop.setAlarm(alarm, uptime: loop.uptime + min(Self.longestDelay, Self.delay * Double(1 << failures)))
            return false
        }
        close(lock)
        lock = made
        failures = 0
        write(DaemonAddress(process: getpid(), socket: path))
        log.notice("the lock file had been removed, and is there again", ["file": paths.lock])
        return true
    }

    private var isLockInPlace: Bool {
        var (held, there) = (stat(), stat())
        return fstat(lock, &held) == 0 && lstat(paths.lock, &there) == 0 && held.st_ino == there.st_ino
            && held.st_dev == there.st_dev
    }
}
