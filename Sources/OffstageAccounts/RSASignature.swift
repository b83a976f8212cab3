// SPDX-License-Identifier: Apache-2.0
import CCrypto

/// RSA signatures with SHA-256 (RS256, RFC 7518, section 3.3).
package enum RSASignature {
    /// Signs a text.
    ///
    /// - Parameters:
    ///   - text: the text to sign.
    ///   - key: the private key in PEM, without a password.
    /// - Returns: the signature; nil if the key cannot sign.
    package static func sign(_ text: String, with key: String) -> [UInt8]? {
        // libcrypto reads directly from the text, which must stay in place until then.
        let parsed = Array(key.utf8).withUnsafeBytes { privateKey($0) }
        guard let parsed else { return nil }
        defer { EVP_PKEY_free(parsed) }
        guard EVP_PKEY_get_base_id(parsed) == EVP_PKEY_RSA, let context = EVP_MD_CTX_new() else { return nil }
        defer { EVP_MD_CTX_free(context) }
        let bytes = Array(text.utf8)
        var count = 0
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, parsed) == 1,
            EVP_DigestSign(context, nil, &count, bytes, bytes.count) == 1, count > 0
        else { return nil }
        var signature = [UInt8](repeating: 0, count: count)
        guard EVP_DigestSign(context, &signature, &count, bytes, bytes.count) == 1 else { return nil }
        return Array(signature.prefix(count))  // checked: at most the length reported before
    }

    private static func privateKey(_ pem: UnsafeRawBufferPointer) -> OpaquePointer? {
        guard let file = BIO_new_mem_buf(pem.baseAddress, Int32(clamping: pem.count)) else { return nil }
        defer { BIO_free(file) }
        // Without this, libcrypto would ask for a password on a terminal.
        let noPassword: @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) -> Int32 =
            { _, _, _, _ in -1 }
        return PEM_read_bio_PrivateKey(file, nil, noPassword, nil)
    }
}
