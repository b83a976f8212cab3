// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageCore

/// Reads short files, links and folders completely, such as those of `/proc` and bundles. Blocking.
package enum SmallFile {
    /// Why a file was not read.
    package enum Trouble: Error, Equatable {
        case system(Int32)
        /// A pipe, device or folder, which could block its reader or never end.
        case notRegular
        case tooLong(limit: Int)
        /// Refused by the reader.
        case refused

        /// A clause without a full stop.
        package var detail: String {
            switch self {
            case .system(let code): String(cString: strerror(code))
            case .notRegular: "it is not a regular file"
            case .tooLong(let limit): "it is longer than \(limit) bytes"
            case .refused: "it belongs to another user"
            }
        }
    }

    /// The contents of a regular file; nil if it is longer than `limit` bytes, cannot be read, or is refused.
    package static func read(
        _ path: String,
        limit: Int,
        where isAccepted: (FileStanding) -> Bool = { _ in true }
    ) -> [UInt8]? {
        try? contents(of: path, limit: limit, where: isAccepted)
    }

    /// The contents of a regular file of at most `limit` bytes. Never waits for a writer.
    package static func contents(
        of path: String,
        limit: Int,
        where isAccepted: (FileStanding) -> Bool = { _ in true }
    ) throws(Trouble) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw .system(errno) }
        defer { close(descriptor) }
        guard let standing = FileStanding(of: descriptor, path: path) else { throw .system(errno) }
        guard standing.kind == .file else { throw .notRegular }
        guard isAccepted(standing) else { throw .refused }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while bytes.count <= limit {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .system(errno) }
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
        throw .tooLong(limit: limit)
    }

    /// The words of a file of one or more lines.
    package static func words(_ path: String) -> [String]? {
        read(path, limit: 1 << 20)?.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// Writes to an existing file, such as a control file of the kernel, with a single write. Returns 0 or an errno.
    package static func write(_ text: String, to path: String) -> Int32 {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        return Glibc.write(descriptor, bytes, bytes.count) == bytes.count ? 0 : errno
    }

    /// The target of a symbolic link, exactly as the kernel reports it.
    package static func link(_ path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 16)
        let count = readlink(path, &buffer, buffer.count)
        guard count > 0 else { return nil }
        return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The names in a folder that are numbers, such as those of processes or threads.
    package static func numbers(in folder: String) -> [Int32] {
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
