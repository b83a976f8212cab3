// SPDX-License-Identifier: Apache-2.0
import CCrypto
import OffstageCore

/// Dropbox's `content_hash`: the SHA-256 of the SHA-256 digests of the blocks.
package enum ContentHash {
    /// The size of a block in bytes; the last one may be shorter.
    package static let blockSize = DropboxParameters.blockSize
    /// The size of a digest in bytes.
    package static let digestSize = 32

    /// The hash of content whose blocks have these digests.
    ///
    /// - Parameter digests: 32 bytes for each block, in order; none for empty content.
    /// - Returns: 64 lower-case hexadecimal digits; nil if libcrypto fails.
    package static func hash(ofDigests digests: some Collection<UInt8>) -> String? {
        var result = [UInt8](repeating: 0, count: digestSize)
        let bytes = Array(digests)
        guard EVP_Digest(bytes, bytes.count, &result, nil, EVP_sha256(), nil) == 1 else { return nil }
        return Hexadecimal.text(result)
    }
}
