// SPDX-License-Identifier: Apache-2.0

/// An access token, and whose it is.
package struct GrantedToken: Sendable, Hashable {
    package var text: String
    /// Who the account is at its service; nil when that is not known.
    package var owner: String?

    package init(_ text: String, owner: String? = nil) {
        self.text = text
        self.owner = owner
    }
}
