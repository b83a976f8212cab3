// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

extension TransferSpec {
    /// The specification as JSON, in the form of `encode(to:)`.
    ///
    /// - Throws: `EncodingError` for a number that JSON cannot express.
    package func json() throws -> [UInt8] {
        if let plain = PlainSpecification(self) { return plain.json() }
        return Array(try JSONEncoder().encode(self))
    }
}
