// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The mounted file systems, from `/proc/self/mountinfo` (proc_pid_mountinfo(5)). Reading it does not access any file
/// system, so it works even if one is unresponsive.
package struct MountList: Sendable, Equatable {
    /// The device number of a file system.
    package struct Device: Sendable, Hashable {
        package var major: UInt32
        package var minor: UInt32

        package init(major: UInt32, minor: UInt32) {
            self.major = major
            self.minor = minor
        }

        /// As `st_dev` has it (makedev(3)).
        package var number: UInt64 {
            let (major, minor) = (UInt64(major), UInt64(minor))
            return (major & 0xFFFF_F000) << 32 | (major & 0xFFF) << 8 | (minor & 0xFFFF_FF00) << 12 | minor & 0xFF
        }
    }

    /// By mount point, without a slash at its end. A later mount covers an earlier one.
    private var devices: [[UInt8]: Device] = [:]
    /// The number of components of the longest mount point.
    private var depth = 0

    /// Mounts beyond this number are ignored.
    private static let most = 10_000

    /// - Parameter text: the whole file. Lines that cannot be parsed are skipped.
    package init(mountinfo text: some Collection<UInt8>) {
        for line in text.split(separator: UInt8(ascii: "\n")) {
            guard devices.count < Self.most else { return }
            let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
            guard fields.count >= 5, let device = Self.device(fields[2]) else { continue }  // checked: five fields
            var point = Self.unescaped(fields[4])  // checked: five fields
            if point.last == UInt8(ascii: "/") { point.removeLast() }
            devices[point] = device
            depth = max(depth, Self.parts(point).count)
        }
    }

    /// The file system of a file, judged only by its path: links are not followed, and `..` leads to the parent folder.
    ///
    /// The cost grows with the length of the path, up to the longest that a system call accepts, and with that of the
    /// mount points.
    ///
    /// - Parameter path: absolute.
    /// - Returns: its number; nil if no mount of the list is on the path.
    package func device(of path: String) -> Device? {
        var found = devices[[]]
        var place: [UInt8] = []
        for part in Self.parts(path.utf8.prefix(Int(PATH_MAX))).prefix(depth) {
            place.append(UInt8(ascii: "/"))
            place.append(contentsOf: part)
            if let device = devices[place] { found = device }
        }
        return found
    }

    /// The components of the path to a file, including the file.
    private static func parts(_ path: some Collection<UInt8>) -> [[UInt8]] {
        var parts: [[UInt8]] = []
        for part in path.split(separator: UInt8(ascii: "/")) {
            if part.elementsEqual(".".utf8) { continue }
            if part.elementsEqual("..".utf8) { _ = parts.popLast() } else { parts.append(Array(part)) }
        }
        return parts
    }

    private static func device(_ text: some Collection<UInt8>) -> Device? {
        let parts = String(decoding: text, as: UTF8.self).split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let major = UInt32(parts[0]), let minor = UInt32(parts[1]) else { return nil }
        return Device(major: major, minor: minor)
    }

    /// Spaces, tabs, line ends and backslashes are written as a backslash and three octal digits.
    private static func unescaped(_ text: some Collection<UInt8>) -> [UInt8] {
        var found: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            if byte == UInt8(ascii: "\\"), digits.count == 3,
                let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
            {
                found.append(code)
                rest = rest.dropFirst(3)
            } else {
                found.append(byte)
            }
        }
        return found
    }
}
