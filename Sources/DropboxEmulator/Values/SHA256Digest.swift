// SPDX-License-Identifier: Apache-2.0
import CCrypto

/// An incremental SHA-256; a copy continues independently.
struct SHA256Digest: Sendable {
    /// libcrypto's context.
    ///
    /// Unchecked: it is changed only while a single value holds it; `update` copies it otherwise.
    private final class Context: @unchecked Sendable {
        let handle: OpaquePointer

        init(copying other: Context? = nil) {
            guard let handle = EVP_MD_CTX_new() else { fatalError("libcrypto has no memory for a digest.") }
            self.handle = handle
            let made =
                if let other { EVP_MD_CTX_copy_ex(handle, other.handle) } else {
                    EVP_DigestInit_ex(handle, EVP_sha256(), nil)
                }
            precondition(made == 1, "libcrypto has no SHA-256.")
        }

        deinit { EVP_MD_CTX_free(handle) }
    }

    private var context = Context()

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        if !isKnownUniquelyReferenced(&context) { context = Context(copying: context) }
        EVP_DigestUpdate(context.handle, bytes.baseAddress, bytes.count)
    }

    /// The 32-byte digest of the bytes so far; more may follow.
    var bytes: [UInt8] {
        let copy = Context(copying: context)
        var digest = [UInt8](repeating: 0, count: 32)
        EVP_DigestFinal_ex(copy.handle, &digest, nil)
        return digest
    }

    static func bytes(of bytes: [UInt8]) -> [UInt8] {
        var digest = SHA256Digest()
        bytes.withUnsafeBytes { digest.update($0) }
        return digest.bytes
    }

    static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
