// SPDX-License-Identifier: Apache-2.0
import CCrypto

/// Encrypts accounts' tokens, with a key in a separate file: a copy of the store alone reveals nothing.
///
/// AES-256-GCM. The result consists of a version, 1; a nonce of 12 random bytes, new each time; the encrypted text, as
/// long as the original; and a tag of 16 bytes. The version and the account's name are authenticated with it, so the
/// tokens of one account cannot be passed off as another's.
///
/// Reads the key each time and keeps nothing. Blocks while it reads the file; may be called from any thread.
package struct AccountVault: Sendable {
    private let keyPath: String

    private static let version: UInt8 = 1
    private static let nonceLength = 12
    private static let tagLength = 16

    /// - Parameter keyPath: the key file, in a folder that only this user can enter.
    package init(keyPath: String) {
        self.keyPath = keyPath
    }

    /// Encrypts.
    ///
    /// - Parameters:
    ///   - bytes: the bytes to encrypt.
    ///   - account: the owner of the bytes.
    ///   - makesKey: whether a missing key file is made first, durable before this returns.
    /// - Returns: the input of `open`.
    /// - Throws: `VaultError`.
    package func seal(
        _ bytes: [UInt8],
        of account: String,
        makesKey: Bool = false
    ) throws(VaultError) -> [UInt8] {
        if makesKey { try AccountKey.make(path: keyPath) }
        var key = try AccountKey(path: keyPath)
        defer { key.wipe() }
        guard let context = EVP_CIPHER_CTX_new() else { throw .libraryFailed }
        defer { EVP_CIPHER_CTX_free(context) }
        var nonce = [UInt8](repeating: 0, count: Self.nonceLength)
        var text = [UInt8](repeating: 0, count: bytes.count)
        var tag = [UInt8](repeating: 0, count: Self.tagLength)
        var count: Int32 = 0
        var rest: Int32 = 0
        let bound = Self.bound(account)
        guard RAND_bytes(&nonce, Int32(nonce.count)) == 1,
            EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), nil, key.bytes, nonce) == 1,
            EVP_EncryptUpdate(context, nil, &count, bound, Int32(bound.count)) == 1,
            EVP_EncryptUpdate(context, &text, &count, bytes, Int32(bytes.count)) == 1,
            EVP_EncryptFinal_ex(context, &tag, &rest) == 1, Int(count) == bytes.count, rest == 0,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), &tag) == 1
        else { throw .libraryFailed }
        return [Self.version] + nonce + text + tag
    }

    /// Decrypts.
    ///
    /// - Parameters:
    ///   - sealed: the result of `seal`.
    ///   - account: the expected owner.
    /// - Returns: the original bytes.
    /// - Throws: `VaultError`, without any of the original bytes.
    package func open(_ sealed: [UInt8], of account: String) throws(VaultError) -> [UInt8] {
        var key = try AccountKey(path: keyPath)
        defer { key.wipe() }
        guard sealed.first == Self.version, sealed.count >= 1 + Self.nonceLength + Self.tagLength else {
            throw .notOpened
        }
        let nonce = Array(sealed[1..<1 + Self.nonceLength])
        let text = Array(sealed[(1 + Self.nonceLength)..<(sealed.count - Self.tagLength)])
        var tag = Array(sealed.suffix(Self.tagLength))
        guard let context = EVP_CIPHER_CTX_new() else { throw .libraryFailed }
        defer { EVP_CIPHER_CTX_free(context) }
        var bytes = [UInt8](repeating: 0, count: text.count)
        var count: Int32 = 0
        var rest: Int32 = 0
        var spare: UInt8 = 0
        let bound = Self.bound(account)
        guard EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), nil, key.bytes, nonce) == 1,
            EVP_DecryptUpdate(context, nil, &count, bound, Int32(bound.count)) == 1,
            EVP_DecryptUpdate(context, &bytes, &count, text, Int32(text.count)) == 1,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1
        else { throw .libraryFailed }
        guard EVP_DecryptFinal_ex(context, &spare, &rest) == 1 else { throw .notOpened }
        return bytes
    }

    /// The data that is authenticated with the text.
    private static func bound(_ account: String) -> [UInt8] { [version] + Array(account.utf8) }
}
