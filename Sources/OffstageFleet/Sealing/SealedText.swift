// SPDX-License-Identifier: Apache-2.0

/// The format of sealed values in a fleet's database: a version, 1; the sender's public half, of 32 bytes; the number
/// of the message among the sender's messages, of 8 bytes; the ciphertext, as long as the plaintext; a tag of 16 bytes.
enum SealedText {
    static let version: UInt8 = 1
    /// The number of bytes before the ciphertext.
    static let headLength = 1 + FleetPublicKey.length + 8  // checked: constants

    static func head(_ sender: [UInt8], number: UInt64) -> [UInt8] {
        // checked: a shift below 64
        [version] + sender + (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) }
    }

    /// Splits an untrusted value into its parts; nil if it is not a sealed value.
    static func parts(_ sealed: [UInt8]) -> (sender: [UInt8], number: UInt64, text: [UInt8])? {
        guard sealed.first == version, sealed.count >= headLength + HybridContext.tagLength else { return nil }
        let sender = Array(sealed.dropFirst().prefix(FleetPublicKey.length))
        let number = sealed.dropFirst(1 + FleetPublicKey.length).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return (sender, number, Array(sealed.dropFirst(headLength)))
    }

    /// The purpose of the context, on which both halves must agree.
    static func info(fleet: String) -> [UInt8] { Array("offstage fleet 1 \(fleet)".utf8) }
}
