// SPDX-License-Identifier: Apache-2.0

/// What a service has granted an account: its tokens. At rest they are encrypted; they are never shown, and a mistake
/// that prints one of these prints nothing of it.
package struct AccountGrant: Sendable, Equatable, Codable {
    /// Goes with every request.
    package var accessToken: String
    /// When that ends; nil for never.
    package var expiry: Deadline?
    /// Gets the next access token; nil when the service gave none.
    package var refreshToken: String?

    package init(accessToken: String, expiry: Deadline?, refreshToken: String?) {
        self.accessToken = accessToken
        self.expiry = expiry
        self.refreshToken = refreshToken
    }

    /// Seconds until the access token ends.
    func remaining(at now: Moment) -> Double { expiry?.remaining(at: now) ?? .infinity }
}

extension AccountGrant: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "(hidden)" }
    package var debugDescription: String { "(hidden)" }
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
