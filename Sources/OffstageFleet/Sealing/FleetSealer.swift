// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Seals messages to a fleet's public key. Uses an ephemeral key, generated once for many messages, so sealing the
/// second message costs a hundredth of the first.
///
/// Belongs to one thread; no number is used twice.
package final class FleetSealer {
    /// The most messages of one key: AES-GCM allows 2^32.
    private static let most: UInt64 = 1 << 31

    private let context: HybridContext
    private let sender: [UInt8]
    private var next: UInt64 = 0

    /// - Parameters:
    ///   - receiver: the fleet's key, which the caller has compared with the fingerprint that it knows.
    ///   - fleet: the fleet's id, as the database writes it.
    /// - Throws: `SealError`.
    package init(to receiver: FleetPublicKey, fleet: String) throws(SealError) {
        let own = try FleetKey()
        sender = own.publicKey.bytes
        context = try HybridContext(
            own,
            with: receiver.bytes,
            sender: sender,
            receiver: receiver.bytes,
            info: SealedText.info(fleet: fleet)
        )
    }

    /// Seals a message.
    ///
    /// - Parameters:
    ///   - bytes: the plaintext, which only members may read.
    ///   - subject: the subject that the message belongs to.
    /// - Returns: the sealed message, as stored. `FleetBytes.text` converts it to a parameter's text.
    /// - Throws: `SealError.exhausted` after two billion messages.
    package func seal(_ bytes: [UInt8], _ subject: SealSubject) throws(SealError) -> [UInt8] {
        guard next < Self.most else { throw .exhausted }
        let number = next
        next += 1  // checked: below the limit
        return SealedText.head(sender, number: number)
            + (try context.seal(bytes, subject.bound, number: number))  // checked: arrays
    }
}
