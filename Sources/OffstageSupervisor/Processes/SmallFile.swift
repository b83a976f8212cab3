// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Whole reads of short files, links and folders, as `/proc` and bundles have them. Blocking.
package enum SmallFile {
    /// What a regular file holds; nil for one that is longer than `limit` bytes, or cannot be read.
    package static func read(_ path: String, limit: Int) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while bytes.count <= limit {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return count == 0 ? bytes : nil }
            bytes += buffer[..<count]
        }
        return nil
    }

    /// The words of a file of one or more lines.
    static func words(_ path: String) -> [String]? {
        read(path, limit: 1 << 20)?.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// Writes a file that is there, such as a control file of the kernel, in one piece. Returns 0 or an errno.
    static func write(_ text: String, to path: String) -> Int32 {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        return Glibc.write(descriptor, bytes, bytes.count) == bytes.count ? 0 : errno
    }

    /// Where a symbolic link leads, in the kernel's own words.
    static func link(_ path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 16)
        let count = readlink(path, &buffer, buffer.count)
        guard count > 0 else { return nil }
        return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The names in a folder that are numbers: processes, or threads.
    static func numbers(in folder: String) -> [Int32] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var numbers: [Int32] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let number = Int32(name) { numbers.append(number) }
        }
        return numbers
    }
}
