// SPDX-License-Identifier: Apache-2.0

/// An account's tokens, granted by its service, or its key. They are encrypted at rest and never shown: even printing this
/// value by mistake reveals nothing.
package struct AccountGrant: Sendable, Equatable, Codable {
    /// Sent with every request. If there is a key, it identifies the key and is not a secret.
    package var accessToken: String
    /// The access token's expiry; nil if it never expires.
    package var expiry: Deadline?
    /// Obtains the next access token; nil if the service granted none.
    package var refreshToken: String?
    /// Signs requests; nil if tokens are sent with them.
    package var accessKey: AccessKey?

    /// A key, which never expires.
    ///
    /// - Parameters:
    ///   - accessKey: the key.
    ///   - mark: distinguishes it from all earlier keys of the account.
    package init(_ accessKey: AccessKey, mark: String) {
        self.init(accessToken: mark, expiry: nil, refreshToken: nil)
        self.accessKey = accessKey
    }

    package init(accessToken: String, expiry: Deadline?, refreshToken: String?) {
        self.accessToken = accessToken
        self.expiry = expiry
        self.refreshToken = refreshToken
    }

    /// Seconds until the access token expires.
    func remaining(at now: Moment) -> Double { expiry?.remaining(at: now) ?? .infinity }
}

extension AccountGrant: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "(hidden)" }
    package var debugDescription: String { "(hidden)" }
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
