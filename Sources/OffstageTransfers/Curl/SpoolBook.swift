// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore

/// How many bytes of answers are in each app's folder. Only the engine's thread touches it.
///
/// Counted from the disk when the first answer is spooled there. Counted again, at most once a second, when the count
/// leaves no room: others delete what an app has taken.
package final class SpoolBook {
    private var folders: [String: (bytes: Int64, counted: ContinuousClock.Instant)] = [:]

    package init() {}

    /// Adds bytes that are about to be written, unless they exceed the limit, and returns the new total.
    func add(_ count: Int, in folder: String, limit: Int64) -> Int64 {
        let now = ContinuousClock.now
        var entry = folders[folder] ?? (Self.count(in: folder), now)
        let count = Int64(clamping: count)
        if entry.bytes.addingClamped(count) > limit, now - entry.counted >= .seconds(1) {
            entry = (Self.count(in: folder), now)
        }
        let sum = entry.bytes.addingClamped(count)
        if sum <= limit { entry.bytes = sum }
        folders[folder] = entry
        return sum
    }

    /// Subtracts the bytes of a deleted answer.
    func remove(_ count: Int, in folder: String) {
        if let entry = folders[folder] {
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
