// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Opens values sealed to a fleet's key. Belongs to one thread.
package final class FleetOpener {
    package let key: FleetKey
    private let info: [UInt8]
    /// The last sender. Rows submitted together share one, and most of the cost of opening is the key agreement.
    private var last: (sender: [UInt8], context: HybridContext)?

    /// - Parameters:
    ///   - key: the fleet's key.
    ///   - fleet: the fleet's id, as the database writes it.
    package init(_ key: FleetKey, fleet: String) {
        self.key = key
        info = SealedText.info(fleet: fleet)
    }

    /// Opens a sealed value.
    ///
    /// - Parameters:
    ///   - sealed: the stored value, which is untrusted.
    ///   - subject: the subject that it must belong to.
    /// - Returns: the plaintext.
    /// - Throws: `SealError.notOpened`.
    package func open(_ sealed: [UInt8], _ subject: SealSubject) throws(SealError) -> [UInt8] {
        guard let parts = SealedText.parts(sealed) else { throw .notOpened }
        let context: HybridContext
        if let last, last.sender == parts.sender {
            context = last.context
        } else {
            context = try HybridContext(
                key,
                with: parts.sender,
                sender: parts.sender,
                receiver: key.publicKey.bytes,
                info: info
            )
        }
        let bytes = try context.open(parts.text, subject.bound, number: parts.number)
        last = (parts.sender, context)
        return bytes
    }
}
