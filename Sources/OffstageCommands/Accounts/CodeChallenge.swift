// SPDX-License-Identifier: Apache-2.0
import CCrypto
import OffstageCore

/// Ties a code to the program that requested it (RFC 7636): the challenge goes through the browser, the verifier does
/// not.
package struct CodeChallenge: Sendable, Equatable {
    /// 43 to 128 unreserved characters.
    package let verifier: String
    /// The verifier's SHA-256, as in `S256`.
    package let challenge: String

    /// A verifier of 256 random bits.
    ///
    /// - Throws: `CommandFailure` when no random numbers are available.
    package static func make() throws(CommandFailure) -> CodeChallenge { CodeChallenge(verifier: try randomText()) }

    package init(verifier: String) {
        self.verifier = verifier
        var digest = [UInt8](repeating: 0, count: 32)
        let bytes = Array(verifier.utf8)
        EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil)
        challenge = Base64URL.text(digest)
    }

    /// 256 random bits in 43 unreserved characters.
    package static func randomText() throws(CommandFailure) -> String {
        var bytes = [UInt8](repeating: 0, count: 32)
        guard RAND_bytes(&bytes, Int32(bytes.count)) == 1 else {
            throw CommandFailure("libcrypto gave no random numbers: see 'offstage doctor'.")
        }
        return Base64URL.text(bytes)
    }
}
