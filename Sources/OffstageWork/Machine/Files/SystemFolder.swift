// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore

/// A folder such as `/proc` or `/sys`, whose files are short and made by the kernel when they are read.
package struct SystemFolder: Sendable {
    package let path: String

    package init(_ path: String) {
        self.path = path
    }

    /// Longer files are cut.
    private static let most = 4096
    /// Longer lists are not read: a number that is cut is another one.
    private static let mostOfList = 1 << 20

    package func path(_ name: String) -> String { path + "/" + name }

    /// A file's contents without the line's end; nil if it does not exist or cannot be read now.
    package func text(_ name: String) -> String? {
        let descriptor = open(path(name), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return withUnsafeTemporaryAllocation(byteCount: Self.most, alignment: 1) { buffer -> String? in
            var length = 0
            while length < buffer.count {
                let count = read(descriptor, buffer.baseAddress?.advanced(by: length), buffer.count - length)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { return nil }
                if count == 0 { break }
                length += count
            }
            while length > 0, buffer[length - 1] == UInt8(ascii: "\n") { length -= 1 }
            return String(decoding: buffer[..<length], as: UTF8.self)
        }
    }

    /// A file's only number, of digits alone, as the kernel writes it; nil for anything else.
    package func number(_ name: String) -> Double? { text(name).flatMap { UInt64(digits: $0) }.map { Double($0) } }

    /// A file's words, however long it is up to a mebibyte; nil beyond that, or if it cannot be read now.
    package func words(_ name: String) -> [Substring]? {
        let descriptor = open(path(name), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: Self.most)
        while bytes.count <= Self.mostOfList {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            guard count > 0 else {
                return String(decoding: bytes, as: UTF8.self).split { $0 == " " || $0 == "\n" }
            }
            bytes += buffer[..<count]  // checked: read(2) has filled so many bytes of the buffer
        }
        return nil
    }

    /// The sorted names in one of its folders; empty if that does not exist.
    package func names(in folder: String) -> [String] {
        guard let stream = opendir(path(folder)) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }
}
