// SPDX-License-Identifier: Apache-2.0
import CCrypto
import Glibc
import OffstageCore

/// Computes digests of a file in a single pass. Takes about a second for every 2 GB and digest.
enum FileDigester {
    struct Result {
        /// The digests, in the requested order.
        var digests: [FileDigest]
        /// Nil if it was not requested.
        var crc32c: CRC32C?
        /// The file's identity, which did not change meanwhile.
        var identity: FileIdentity
    }

    /// Bytes per read.
    private static let bufferSize = 262_144

    /// - Parameters:
    ///   - path: the file.
    ///   - partSizes: the size of the parts of each digest (`FileDigest.partSize`).
    ///   - wantsCRC32C: whether to compute the CRC32C, too.
    /// - Returns: the digests in that order.
    /// - Throws: `CommandFailure`, one sentence, if it cannot be read, or changes meanwhile.
    static func digests(
        of path: String,
        in partSizes: [Int64?],
        wantsCRC32C: Bool = false
    ) throws(CommandFailure) -> Result {
        // Throws a sentence about a file that is missing or not a regular file.
        let identity = try SourceFile.identity(path)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw unread(path, errno) }
        defer { close(descriptor) }
        let hashers = partSizes.compactMap(PartHasher.init)
        var crc32c = wantsCRC32C ? CRC32C() : nil
        guard hashers.count == partSizes.count else { throw CommandFailure("libcrypto offers no SHA-256.") }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 64)
        defer { buffer.deallocate() }
        while true {
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unread(path, errno) }
            if count == 0 { break }
            // checked: read(2) returns at most the size of the buffer
            let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            for hasher in hashers { hasher.add(bytes) }
            crc32c?.update(bytes)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, FileIdentity(status) == identity else {
            throw CommandFailure("The file \(path.redactedControls) changed while it was read: try again.")
        }
        let digests = hashers.compactMap { $0.finish() }
        guard digests.count == hashers.count else { throw CommandFailure("libcrypto could not compute a SHA-256.") }
        return Result(digests: digests, crc32c: crc32c, identity: identity)
    }

    private static func unread(_ path: String, _ code: Int32) -> CommandFailure {
        CommandFailure("The file \(path.redactedControls) cannot be read (\(String(cString: strerror(code)))).")
    }
}

/// The SHA-256 of a stream, or of the digests of its parts.
private final class PartHasher {
    private let whole: OpaquePointer
    private let part: OpaquePointer
    private let partSize: Int64?
    /// Bytes that are missing from the current part.
    private var left: Int64
    private var hasFailed = false

    init?(_ partSize: Int64?) {
        guard let whole = EVP_MD_CTX_new() else { return nil }
        guard let part = EVP_MD_CTX_new() else {
            EVP_MD_CTX_free(whole)
            return nil
        }
        (self.whole, self.part, self.partSize) = (whole, part, partSize)
        left = partSize ?? 0
        for context in [whole, part] where EVP_DigestInit_ex(context, EVP_sha256(), nil) != 1 { hasFailed = true }
    }

    deinit {
        EVP_MD_CTX_free(whole)
        EVP_MD_CTX_free(part)
    }

    func add(_ bytes: UnsafeRawBufferPointer) {
        guard let partSize else { return update(whole, bytes) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int(clamping: left))
            update(part, UnsafeRawBufferPointer(rebasing: piece))
            rest = rest.dropFirst(piece.count)
            left -= Int64(piece.count)  // checked: at most as long as what is left
            if left == 0 {
                endPart()
                left = partSize
            }
        }
    }

    private func update(_ context: OpaquePointer, _ bytes: UnsafeRawBufferPointer) {
        if EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) != 1 { hasFailed = true }
    }

    private func endPart() {
        guard let digest = final(part) else { return }
        digest.withUnsafeBytes { update(whole, $0) }
        if EVP_DigestInit_ex(part, EVP_sha256(), nil) != 1 { hasFailed = true }
    }

    private func final(_ context: OpaquePointer) -> [UInt8]? {
        var digest = [UInt8](repeating: 0, count: 32)
        guard EVP_DigestFinal_ex(context, &digest, nil) == 1 else {
            hasFailed = true
            return nil
        }
        return digest
    }

    func finish() -> FileDigest? {
        if let partSize, left < partSize { endPart() }
        guard let digest = final(whole), !hasFailed else { return nil }
        let digits = Array("0123456789abcdef")
        // checked: halves of a byte
        let text = digest.map { "\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }.joined()
        return FileDigest(sha256: text, partSize: partSize)
    }
}
