// SPDX-License-Identifier: Apache-2.0
import CCrypto

/// The context shared by sender and receiver in HPKE (RFC 9180, base mode): DHKEM with X25519, HKDF-SHA-256,
/// AES-256-GCM. AES-128 is supported only for the RFC's test vectors.
package struct HybridContext: Sendable {
    package enum Cipher: UInt8, Sendable {
        case aes128 = 1
        case aes256 = 2

        var keyLength: Int { self == .aes128 ? 16 : 32 }
    }

    package static let tagLength = 16

    private let cipher: Cipher
    private let key: [UInt8]
    private let baseNonce: [UInt8]

    /// - Parameters:
    ///   - own: the sender's ephemeral key, or the receiver's key.
    ///   - other: the receiver's public half, or the sender's.
    ///   - sender: the sender's public half.
    ///   - receiver: the receiver's public half.
    ///   - info: the context's purpose, on which both must agree.
    ///   - cipher: AES-256, except for test vectors.
    /// - Throws: `SealError.notOpened` for an invalid public half.
    package init(
        _ own: FleetKey,
        with other: [UInt8],
        sender: [UInt8],
        receiver: [UInt8],
        info: [UInt8],
        cipher: Cipher = .aes256
    ) throws(SealError) {
        self.cipher = cipher
        guard let agreed = own.agree(with: other) else { throw .notOpened }
        // Section 4.1: "KEM" and the number of DHKEM(X25519, HKDF-SHA256).
        let kem = Array("KEM".utf8) + [0, 0x20]
        let first = try KeyDerivation.extract(salt: [], "eae_prk", agreed, suite: kem)
        let shared = try KeyDerivation.expand(first, "shared_secret", sender + receiver, count: 32, suite: kem)
        // Section 5.1: mode base (0), no shared key.
        let suite = Array("HPKE".utf8) + [0, 0x20, 0, 1, 0, cipher.rawValue]
        let psk = try KeyDerivation.extract(salt: [], "psk_id_hash", [], suite: suite)
        let context = [0] + psk + (try KeyDerivation.extract(salt: [], "info_hash", info, suite: suite))
        let secret = try KeyDerivation.extract(salt: shared, "secret", [], suite: suite)
        key = try KeyDerivation.expand(secret, "key", context, count: cipher.keyLength, suite: suite)
        baseNonce = try KeyDerivation.expand(secret, "base_nonce", context, count: 12, suite: suite)
    }

    private var algorithm: OpaquePointer? { cipher == .aes128 ? EVP_aes_128_gcm() : EVP_aes_256_gcm() }

    /// Section 5.2: the message's number, in the last eight bytes.
    private func nonce(_ number: UInt64) -> [UInt8] {
        var nonce = baseNonce
        // checked: twelve bytes, and shifts below 64
        for place in 0..<8 { nonce[11 - place] ^= UInt8(truncatingIfNeeded: number >> UInt64(8 * place)) }
        return nonce
    }

    /// Encrypts a message, with a number that is unique in this context.
    ///
    /// - Returns: the ciphertext, which is as long as the message, and the tag.
    package func seal(_ bytes: [UInt8], _ bound: [UInt8], number: UInt64) throws(SealError) -> [UInt8] {
        guard let context = EVP_CIPHER_CTX_new() else { throw .libraryFailed }
        defer { EVP_CIPHER_CTX_free(context) }
        var text = [UInt8](repeating: 0, count: bytes.count)
        var tag = [UInt8](repeating: 0, count: Self.tagLength)
        var count: Int32 = 0
        var rest: Int32 = 0
        guard EVP_EncryptInit_ex(context, algorithm, nil, key, nonce(number)) == 1,
            EVP_EncryptUpdate(context, nil, &count, bound, Int32(clamping: bound.count)) == 1,
            EVP_EncryptUpdate(context, &text, &count, bytes, Int32(clamping: bytes.count)) == 1,
            Int(count) == bytes.count, EVP_EncryptFinal_ex(context, &tag, &rest) == 1, rest == 0,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), &tag) == 1
        else { throw .libraryFailed }
        return text + tag
    }

    /// Decrypts a message. Returns no part of a message that was changed.
    ///
    /// - Throws: `SealError.notOpened`.
    package func open(_ sealed: [UInt8], _ bound: [UInt8], number: UInt64) throws(SealError) -> [UInt8] {
        guard sealed.count >= Self.tagLength else { throw .notOpened }
        let text = Array(sealed.dropLast(Self.tagLength))
        var tag = Array(sealed.suffix(Self.tagLength))
        guard let context = EVP_CIPHER_CTX_new() else { throw .libraryFailed }
        defer { EVP_CIPHER_CTX_free(context) }
        var bytes = [UInt8](repeating: 0, count: text.count)
        var count: Int32 = 0
        var rest: Int32 = 0
        var spare: UInt8 = 0
        guard EVP_DecryptInit_ex(context, algorithm, nil, key, nonce(number)) == 1,
            EVP_DecryptUpdate(context, nil, &count, bound, Int32(clamping: bound.count)) == 1,
            EVP_DecryptUpdate(context, &bytes, &count, text, Int32(clamping: text.count)) == 1,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1
        else { throw .libraryFailed }
        guard EVP_DecryptFinal_ex(context, &spare, &rest) == 1 else { throw .notOpened }
        return bytes
    }
}
