// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport

/// The files that this process has open.
enum OpenFiles {
    /// The paths of the files, each as often as it is open.
    static func paths() -> [String] {
        TestFiles.names(in: "/proc/self/fd").compactMap { name in
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = readlink("/proc/self/fd/\(name)", &buffer, buffer.count)
            return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
        }
    }
}
