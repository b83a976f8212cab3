// SPDX-License-Identifier: Apache-2.0

/// The form of what is sealed in a fleet's database: a version, 1; the sender's public half, of 32 bytes; the number of the
/// message among those that this half has sealed, of 8 bytes; what was encrypted, as long as it was; a tag of 16 bytes.
enum SealedText {
    static let version: UInt8 = 1
    /// Bytes before what was encrypted.
    static let headLength = 1 + FleetPublicKey.length + 8  // checked: constants

    static func head(_ sender: [UInt8], number: UInt64) -> [UInt8] {
        // checked: a shift below 64
        [version] + sender + (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) }
    }

    /// The parts of what somebody else has written; nil if it cannot be any.
    static func parts(_ sealed: [UInt8]) -> (sender: [UInt8], number: UInt64, text: [UInt8])? {
        guard sealed.first == version, sealed.count >= headLength + HybridContext.tagLength else { return nil }
        let sender = Array(sealed.dropFirst().prefix(FleetPublicKey.length))
        let number = sealed.dropFirst(1 + FleetPublicKey.length).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return (sender, number, Array(sealed.dropFirst(headLength)))
    }

    /// What both halves take the context to be for.
    static func info(fleet: String) -> [UInt8] { Array("offstage fleet 1 \(fleet)".utf8) }
}
