// SPDX-License-Identifier: Apache-2.0

/// An account's tokens, granted by its service, or its key. They are encrypted at rest and never shown: even printing this
/// value by mistake reveals nothing.
package struct AccountGrant: Sendable, Equatable, Codable {
    /// Goes with every request. With a key, it names the key and is no secret.
    package var accessToken: String
    /// Its expiry; nil for never.
    package var expiry: Deadline?
    /// For the next access token; nil if the service gave none.
    package var refreshToken: String?
    /// Signs requests; nil if tokens are sent with them.
    package var accessKey: AccessKey?

    /// A key, which never expires.
    ///
    /// - Parameters:
    ///   - accessKey: the key.
    ///   - mark: what tells it from all that the account had before.
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
