// SPDX-License-Identifier: Apache-2.0

/// An access token and its owner, or a signing key.
package struct GrantedToken: Sendable, Hashable {
    /// The token; for a signing key, its ID, or another word that identifies it.
    package var text: String
    /// The account's identity at its service; nil if unknown.
    package var owner: String?
    /// The key that signs requests; nil for a token, which is sent with them.
    package var accessKey: AccessKey?

    package init(_ text: String, owner: String? = nil) {
        self.text = text
        self.owner = owner
    }

    package init(_ accessKey: AccessKey) {
        text = accessKey.id
        self.accessKey = accessKey
    }
}
