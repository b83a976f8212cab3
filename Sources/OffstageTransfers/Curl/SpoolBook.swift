// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import Synchronization

/// Tracks the bytes of answers in each app's folder. Shared by the engines.
///
/// A folder is counted from the disk when the first answer is spooled there. It is counted again, at most once a
/// second, when the count leaves no room: answers that an app has taken are deleted elsewhere.
package final class SpoolBook: Sendable {
    /// The process's book: all its engines write to the same folders.
    static let shared = SpoolBook()

    private struct Entry {
        var bytes: Int64
        var counted: ContinuousClock.Instant
    }

    private let folders = Mutex<[String: Entry]>([:])

    package init() {}

    /// Adds bytes that are about to be written, unless they exceed the limit, and returns the new total.
    func add(_ count: Int, in folder: String, limit: Int64) -> Int64 {
        let now = ContinuousClock.now
        let count = Int64(clamping: count)
        let known = folders.withLock { $0[folder] }
        var counted: Entry?
        if known.map({ $0.bytes.addingClamped(count) > limit && now - $0.counted >= .seconds(1) }) ?? true {
            // Not while other threads wait for the lock.
            counted = Entry(bytes: Self.count(in: folder), counted: now)
        }
        return folders.withLock { folders in
            var entry = counted ?? folders[folder] ?? Entry(bytes: 0, counted: now)
            let sum = entry.bytes.addingClamped(count)
            if sum <= limit { entry.bytes = sum }
            folders[folder] = entry
            return sum
        }
    }

    /// Subtracts the bytes of a deleted answer.
    func remove(_ count: Int, in folder: String) {
        folders.withLock { folders in
            guard let entry = folders[folder] else { return }
            folders[folder]?.bytes = max(0, entry.bytes.subtractingClamped(Int64(clamping: count)))
        }
    }

    private static func count(in folder: String) -> Int64 {
        guard let stream = opendir(folder) else { return 0 }
        defer { closedir(stream) }
        var sum: Int64 = 0
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            var status = stat()
            guard name.hasPrefix(ResponseFile.prefix), fstatat(dirfd(stream), name, &status, AT_SYMLINK_NOFOLLOW) == 0,
                status.st_mode & S_IFMT == S_IFREG
            else { continue }
            sum = sum.addingClamped(Int64(clamping: status.st_size))
        }
        return sum
    }
}
