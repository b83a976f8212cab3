// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// Opens what was sealed to a fleet's key. Belongs to one thread.
package final class FleetOpener {
    package let key: FleetKey
    private let info: [UInt8]
    /// Rows that were submitted together have the same sender: to agree with it again costs most of opening.
    private var last: (sender: [UInt8], context: HybridContext)?

    /// - Parameters:
    ///   - key: the fleet's.
    ///   - fleet: the fleet's id, as the database writes it.
    package init(_ key: FleetKey, fleet: String) {
        self.key = key
        info = SealedText.info(fleet: fleet)
    }

    /// Opens.
    ///
    /// - Parameters:
    ///   - sealed: as it is stored; anybody may have written it.
    ///   - subject: what it must belong to.
    /// - Returns: what was sealed.
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
