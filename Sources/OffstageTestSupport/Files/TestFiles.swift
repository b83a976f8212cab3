// SPDX-License-Identifier: Apache-2.0
import Glibc

/// File helpers for the fixtures: whole reads and writes, random content and checksums.
package enum TestFiles {
    /// Writes a new file, or replaces an existing one.
    package static func write(_ bytes: [UInt8], to path: String, mode: UInt32 = 0o644) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        guard file >= 0 else { throw TestError.system("\(path) cannot be written") }
        defer { close(file) }
        var offset = 0
        while offset < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.write(file, $0.baseAddress?.advanced(by: offset), bytes.count - offset)
            }
            guard count > 0 else { throw TestError.system("\(path) cannot be written") }
            offset += count
        }
    }

    package static func write(_ text: String, to path: String) throws {
        try write(Array(text.utf8), to: path)
    }

    package static func read(_ path: String) throws -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw TestError.system("\(path) cannot be read") }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = Glibc.read(file, &buffer, buffer.count)
            guard count >= 0 else { throw TestError.system("\(path) cannot be read") }
            if count == 0 { return bytes }
            bytes.append(contentsOf: buffer[..<count])
        }
    }

    package static func text(_ path: String) throws -> String {
        String(decoding: try read(path), as: UTF8.self)
    }

    /// Creates a file of random content that is reproducible from the seed, of any size, in pieces of 4 MiB.
    package static func makeRandom(_ path: String, bytes count: Int, seed: UInt64) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw TestError.system("\(path) cannot be written") }
        defer { close(file) }
        var generator = SeededGenerator(seed: seed)
        var left = count
        while left > 0 {
            let piece = generator.bytes(min(left, 4 << 20))
            guard Glibc.write(file, piece, piece.count) == piece.count else {
                throw TestError.system("\(path) cannot be written")
            }
            left -= piece.count
        }
    }

    package static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// The length in bytes; nil if there is no such file.
    package static func size(_ path: String) -> Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }

    /// The names in a directory, sorted, without `.` and `..`.
    package static func names(in directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    package static func makeDirectory(_ path: String) throws {
        guard mkdir(path, 0o755) == 0 || errno == EEXIST else { throw TestError.system("\(path) cannot be made") }
    }

    /// The SHA-256 of a file as 64 hexadecimal digits, by `sha256sum`: independent of our own code.
    package static func sha256(_ path: String) throws -> String {
        let result = try ChildProcess.run("/usr/bin/sha256sum", ["--", path])
        guard result.status == .exited(0), let digits = result.output.split(separator: " ").first else {
            throw TestError("sha256sum failed: \(result.errors)")
        }
        // A leading backslash means that the name was escaped.
        return String(digits.drop { $0 == "\\" })
    }

    package static func sha256(of bytes: [UInt8]) throws -> String {
        let result = try ChildProcess.run("/usr/bin/sha256sum", ["-"], input: bytes)
        guard result.status == .exited(0), let digits = result.output.split(separator: " ").first else {
            throw TestError("sha256sum failed: \(result.errors)")
        }
        return String(digits)
    }
}
