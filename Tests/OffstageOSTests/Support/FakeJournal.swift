// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageTestSupport

/// A datagram socket where journald would listen, and the entries that it receives.
final class FakeJournal {
    /// An entry as journald parses it.
    struct Entry {
        var fields: [String: String] = [:]
        var names: [String] = []
        /// Whether it arrived in a file that can no longer be changed.
        var isSealedFile = false
    }

    let path: String
    private let descriptor: Int32

    init(path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var place = sockaddr_un()
        place.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &place.sun_path) { $0.copyBytes(from: Array(path.utf8).prefix($0.count - 1)) }
        let code = withUnsafePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard code == 0 else { throw TestError.system("\(path) cannot be bound") }
    }

    deinit { close(descriptor) }

    /// Receives a sent entry; nil if there is none.
    func next() throws -> Entry? {
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        var control = [UInt64](repeating: 0, count: 8)
        var file: Int32?
        let count = bytes.withUnsafeMutableBytes { bytes in
            control.withUnsafeMutableBytes { control in
                var part = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
                return withUnsafeMutablePointer(to: &part) { part in
                    var message = msghdr()
                    message.msg_iov = part
                    message.msg_iovlen = 1
                    message.msg_control = control.baseAddress
                    message.msg_controllen = control.count
                    let count = recvmsg(descriptor, &message, Int32(MSG_DONTWAIT))
                    if count >= 0, message.msg_controllen >= 20 {
                        file = control.load(fromByteOffset: 16, as: Int32.self)
                    }
                    return count
                }
            }
        }
        guard count >= 0 else { return nil }
        guard let file else { return try Self.entry(Array(bytes.prefix(count))) }
        defer { close(file) }
        var entry = try Self.entry(Self.contents(file))
        // F_GET_SEALS, and all four seals.
        entry.isSealedFile = count == 0 && fcntl(file, 1034) == 15
        return entry
    }

    private static func contents(_ file: Int32) throws -> [UInt8] {
        var status = stat()
        fstat(file, &status)
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        guard pread(file, &bytes, bytes.count, 0) == bytes.count else { throw TestError.system("The file ends early") }
        return bytes
    }

    /// As specified in https://systemd.io/JOURNAL_NATIVE_PROTOCOL.
    static func entry(_ bytes: [UInt8]) throws -> Entry {
        var entry = Entry()
        var rest = bytes[...]
        while let end = rest.firstIndex(of: 0x0A) {
            let line = rest[..<end]
            rest = rest[(end + 1)...]
            var name = line
            var value = ArraySlice<UInt8>()
            if let equals = line.firstIndex(of: UInt8(ascii: "=")) {
                name = line[..<equals]
                value = line[(equals + 1)...]
            } else {
                guard rest.count >= 8 else { throw TestError("A length is missing.") }
                let length = rest.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(8)
                guard rest.count > length else { throw TestError("A value is cut off.") }
                value = rest.prefix(length)
                rest = rest.dropFirst(length)
                guard rest.first == 0x0A else { throw TestError("A value does not end.") }
                rest = rest.dropFirst()
            }
            let known = String(decoding: name, as: UTF8.self)
            entry.names.append(known)
            entry.fields[known] = String(decoding: value, as: UTF8.self)
        }
        guard rest.isEmpty else { throw TestError("The entry does not end.") }
        return entry
    }
}
