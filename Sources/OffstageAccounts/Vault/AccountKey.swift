// SPDX-License-Identifier: Apache-2.0
import CCrypto
import Glibc
import OffstageTransfers
import Synchronization

/// The 32 bytes of the key that encrypts tokens, in a separate file. They are in memory only while they are used.
struct AccountKey {
    private(set) var bytes: [UInt8]

    static let length = 32

    /// Reads the file.
    ///
    /// - Throws: every `VaultError` about the key.
    init(path: String) throws(VaultError) {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else {
            switch errno {
            case ENOENT: throw .keyMissing(path: path)
            case ELOOP: throw .keyExposed(path: path, detail: "it is a symbolic link")
            default: throw .keyUnusable(path: path, code: errno)
            }
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw .keyUnusable(path: path, code: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw .keyExposed(path: path, detail: "it is not a regular file")
        }
        guard status.st_uid == geteuid() else { throw .keyExposed(path: path, detail: "it belongs to another user") }
        guard status.st_mode & 0o077 == 0 else {
            let mode = String(status.st_mode & 0o777, radix: 8)
            throw .keyExposed(path: path, detail: "other users can access it, its mode is 0\(mode)")
        }
        guard status.st_size == Self.length else { throw .keyDamaged(path: path) }
        bytes = [UInt8](repeating: 0, count: Self.length)
        let count = pread(file, &bytes, bytes.count, 0)
        guard count >= 0 else { throw .keyUnusable(path: path, code: errno) }
        guard count == Self.length else { throw .keyDamaged(path: path) }
    }

    /// Overwrites the bytes.
    mutating func wipe() { bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) } }

    /// Makes a key file with random bytes, durable before this returns, unless one exists.
    ///
    /// It is written under another name, so a crash leaves no incomplete file. A link then gives it its final name,
    /// which replaces no other file.
    static func make(path: String) throws(VaultError) {
        try making.withLock { _ throws(VaultError) in try makeAlone(path) }
    }

    /// Two simultaneous calls would write to the same draft.
    private static let making = Mutex(())

    private static func makeAlone(_ path: String) throws(VaultError) {
        guard access(path, F_OK) != 0 else { return }
        let draft = path + ".new"
        // Left by a crash. A folder has only one daemon, so the file is not in use.
        unlink(draft)
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .keyUnusable(path: path, code: errno) }
        defer {
            close(file)
            unlink(draft)
        }
        var bytes = [UInt8](repeating: 0, count: length)
        defer { bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) } }
        guard RAND_bytes(&bytes, Int32(length)) == 1 else { throw .libraryFailed }
        errno = EIO
        guard write(file, bytes, length) == length, fsync(file) == 0 else {
            throw .keyUnusable(path: path, code: errno)
        }
        guard link(draft, path) == 0 || errno == EEXIST else { throw .keyUnusable(path: path, code: errno) }
        if let code = FileSaver.syncDirectory(of: path) { throw .keyUnusable(path: path, code: code) }
    }
}
