// SPDX-License-Identifier: Apache-2.0
import CCrypto
import Glibc
import OffstageFiles

/// A fleet's X25519 key, in the PEM format of `openssl genpkey -algorithm X25519`. The file gives access to everything
/// sealed: members have it, submitters do not.
///
/// Belongs to one thread. libcrypto overwrites the private half when it is freed.
package final class FleetKey {
    private let handle: OpaquePointer
    package let publicKey: FleetPublicKey

    /// The most bytes of the file. A key file has about 120.
    private static let longestFile = 4096
    /// Prevents libcrypto from asking for a password on a terminal.
    private static let noPassword:
        @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) -> Int32 =
            { _, _, _, _ in -1 }

    private init(owning handle: OpaquePointer?) throws(SealError) {
        guard let handle else { throw .libraryFailed }
        var bytes = [UInt8](repeating: 0, count: FleetPublicKey.length)
        var count = bytes.count
        guard EVP_PKEY_get_base_id(handle) == EVP_PKEY_X25519,
            EVP_PKEY_get_raw_public_key(handle, &bytes, &count) == 1, count == bytes.count,
            let key = FleetPublicKey(bytes: bytes)
        else {
            EVP_PKEY_free(handle)
            throw .libraryFailed
        }
        self.handle = handle
        publicKey = key
    }

    deinit { EVP_PKEY_free(handle) }

    /// Generates a key.
    package convenience init() throws(SealError) {
        guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_X25519, nil) else { throw .libraryFailed }
        defer { EVP_PKEY_CTX_free(context) }
        var made: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_keygen(context, &made) == 1 else { throw .libraryFailed }
        try self.init(owning: made)
    }

    /// Creates a key from its private half, for the standards' test vectors.
    package convenience init(privateBytes: [UInt8]) throws(SealError) {
        try self.init(owning: EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nil, privateBytes, privateBytes.count))
    }

    /// Reads a key file.
    ///
    /// - Throws: `SealError.keyFile` if other users could have read or placed it, or if it is not a key.
    package convenience init(path: String) throws(SealError) {
        var bytes = try Self.contents(path)
        defer { bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) } }
        let parsed = bytes.withUnsafeBytes { raw -> OpaquePointer? in
            guard let file = BIO_new_mem_buf(raw.baseAddress, Int32(clamping: raw.count)) else { return nil }
            defer { BIO_free(file) }
            return PEM_read_bio_PrivateKey(file, nil, Self.noPassword, nil)
        }
        guard let parsed, EVP_PKEY_get_base_id(parsed) == EVP_PKEY_X25519 else {
            EVP_PKEY_free(parsed)
            throw .keyFile(path: path, detail: "it holds no X25519 key in PEM")
        }
        try self.init(owning: parsed)
    }

    private static func contents(_ path: String) throws(SealError) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else {
            throw .keyFile(path: path, detail: errno == ELOOP ? "it is a symbolic link" : Self.words(errno))
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw .keyFile(path: path, detail: Self.words(errno)) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .keyFile(path: path, detail: "it is not a regular file") }
        guard status.st_uid == geteuid() else { throw .keyFile(path: path, detail: "it belongs to another user") }
        guard status.st_mode & 0o077 == 0 else {
            throw .keyFile(path: path, detail: "other users can access it: give it mode 0600")
        }
        // checked: a constant
        var bytes = [UInt8](repeating: 0, count: longestFile + 1)
        let count = read(file, &bytes, bytes.count)
        guard count >= 0 else { throw .keyFile(path: path, detail: Self.words(errno)) }
        guard count <= longestFile else { throw .keyFile(path: path, detail: "it is too long") }
        return Array(bytes.prefix(count))
    }

    /// Writes a new file with mode 0600, durably before this returns. Never replaces an existing file.
    ///
    /// - Throws: `SealError`.
    package func write(to path: String) throws(SealError) {
        var text = try pem()
        defer { text.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) } }
        // Written under a temporary name first, so a crash never leaves a partial key under this one.
        let draft = "\(path).\(getpid()).new"
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .keyFile(path: path, detail: Self.words(errno)) }
        defer {
            close(file)
            unlink(draft)
        }
        errno = EIO
        guard Glibc.write(file, text, text.count) == text.count, fsync(file) == 0, link(draft, path) == 0 else {
            throw .keyFile(path: path, detail: errno == EEXIST ? "there is such a file already" : Self.words(errno))
        }
        let folder = path.lastSlash.map { String(path[..<$0]) } ?? "."
        let opened = open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { throw .keyFile(path: path, detail: Self.words(errno)) }
        defer { close(opened) }
        guard fsync(opened) == 0 else { throw .keyFile(path: path, detail: Self.words(errno)) }
    }

    private func pem() throws(SealError) -> [UInt8] {
        guard let memory = BIO_new(BIO_s_mem()) else { throw .libraryFailed }
        defer { BIO_free(memory) }
        guard PEM_write_bio_PKCS8PrivateKey(memory, handle, nil, nil, 0, nil, nil) == 1 else { throw .libraryFailed }
        var bytes = [UInt8](repeating: 0, count: Self.longestFile)
        let count = BIO_read(memory, &bytes, Int32(bytes.count))
        guard count > 0 else { throw .libraryFailed }
        return Array(bytes.prefix(Int(count)))  // checked: as many as were read
    }

    private static func words(_ code: Int32) -> String { String(cString: strerror(code)) }

    /// The shared secret of this key and the other half (RFC 7748); nil for a public key that gives a known secret.
    package func agree(with other: [UInt8]) -> [UInt8]? {
        guard let peer = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nil, other, other.count) else { return nil }
        defer { EVP_PKEY_free(peer) }
        guard let context = EVP_PKEY_CTX_new(handle, nil) else { return nil }
        defer { EVP_PKEY_CTX_free(context) }
        var shared = [UInt8](repeating: 0, count: 32)
        var count = shared.count
        guard EVP_PKEY_derive_init(context) == 1, EVP_PKEY_derive_set_peer(context, peer) == 1,
            EVP_PKEY_derive(context, &shared, &count) == 1, count == shared.count
        else { return nil }
        return shared
    }
}
