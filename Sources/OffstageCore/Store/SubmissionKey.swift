// SPDX-License-Identifier: Apache-2.0

/// The name under which an owner's hand-over is on record (`TransferSpec.keyOnRecord`).
package struct SubmissionKey: Sendable, Hashable {
    package let owner: String
    package let text: String

    /// Nil for a transfer without such a name.
    package init?(_ spec: TransferSpec) {
        guard let text = spec.keyOnRecord else { return nil }
        owner = spec.owner
        self.text = text
    }
}
