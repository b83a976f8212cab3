// SPDX-License-Identifier: Apache-2.0

/// An access token and its owner.
package struct GrantedToken: Sendable, Hashable {
    package var text: String
    /// The account's identity at its service; nil if unknown.
    package var owner: String?

    package init(_ text: String, owner: String? = nil) {
        self.text = text
        self.owner = owner
    }
}
