// SPDX-License-Identifier: Apache-2.0
import CCrypto

/// The two halves of HKDF with SHA-256 (RFC 5869), with the labels of HPKE (RFC 9180, section 4).
package enum KeyDerivation {
    package static func extract(salt: [UInt8], _ key: [UInt8]) throws(SealError) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: 32)
        let mode = EVP_KDF_HKDF_MODE_EXTRACT_ONLY
        guard offstage_hkdf(mode, key, key.count, salt, salt.count, &result, result.count) == 1 else {
            throw .libraryFailed
        }
        return result
    }

    package static func expand(_ key: [UInt8], info: [UInt8], count: Int) throws(SealError) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: count)
        let mode = EVP_KDF_HKDF_MODE_EXPAND_ONLY
        guard offstage_hkdf(mode, key, key.count, info, info.count, &result, count) == 1 else { throw .libraryFailed }
        return result
    }

    /// `LabeledExtract` of RFC 9180.
    static func extract(salt: [UInt8], _ label: String, _ key: [UInt8], suite: [UInt8]) throws(SealError) -> [UInt8] {
        try extract(salt: salt, Array("HPKE-v1".utf8) + suite + Array(label.utf8) + key)
    }

    /// `LabeledExpand` of RFC 9180.
    static func expand(
        _ key: [UInt8],
        _ label: String,
        _ info: [UInt8],
        count: Int,
        suite: [UInt8]
    ) throws(SealError) -> [UInt8] {
        let length = [UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
        let labelled = length + Array("HPKE-v1".utf8) + suite + Array(label.utf8) + info
        return try expand(key, info: labelled, count: count)
    }
}
