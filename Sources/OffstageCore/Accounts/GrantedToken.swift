// SPDX-License-Identifier: Apache-2.0

/// An access token and its owner, or a key that signs.
package struct GrantedToken: Sendable, Hashable {
    /// The token; of a key that signs, its ID, or another word that names it.
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
