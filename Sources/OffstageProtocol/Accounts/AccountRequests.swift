// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
package import OffstageCore

/// Signs in to a new or an existing account with the code that a person received. Answered once its tokens are stored
/// durably.
package struct AddAccount: WireRequest {
    package static let name = "accounts.add"
    package struct Reply: Codable, Sendable, Equatable {
        package var row: AccountRow
        /// Whether there was no account with that name.
        package var isNew: Bool
        /// Set if the account is not kept yet: `ConfirmAccount` with this number keeps it, or has it revoked.
        package var unconfirmed: UInt64?
        package init(row: AccountRow, isNew: Bool, unconfirmed: UInt64? = nil) {
            self.row = row
            self.isNew = isNew
            self.unconfirmed = unconfirmed
        }
    }
    /// The account; the values that the service reports (`accountID`, `email` and `state`) are ignored.
    package var account: Account
    /// Valid for one use, and only with the verifier.
    package var code: String
    /// The value that the challenge in the authorize URL was derived from (RFC 7636).
    package var verifier: String
    /// As in the authorize URL; nil for a code that was shown to the person.
    package var redirectURI: String?
    /// Whether a person must confirm the account before it is kept.
    package var asksFirst: Bool?

    package init(
        account: Account,
        code: String,
        verifier: String,
        redirectURI: String?,
        asksFirst: Bool? = nil
    ) {
        self.account = account
        self.code = code
        self.verifier = verifier
        self.redirectURI = redirectURI
        self.asksFirst = asksFirst
    }

    /// The longest code and redirect URI, in bytes.
    private static let longestText = 4096

    /// - Throws: `RequestError` for values that no authorization could have produced.
    package func validate() throws(RequestError) {
        try account.validate()
        guard (1...Self.longestText).contains(code.utf8.count), code.utf8.allSatisfy({ (33...126).contains($0) }) else {
            throw .invalidValue("That is not a code that Dropbox shows: copy the whole code and nothing else")
        }
        guard (43...128).contains(verifier.utf8.count), verifier.utf8.allSatisfy(PercentEncoding.isUnreserved) else {
            throw .invalidValue("A code verifier has 43 to 128 unreserved characters (RFC 7636)")
        }
        guard redirectURI.map({ $0.utf8.count <= Self.longestText }) ?? true else {
            throw .invalidValue("The redirect URI is too long")
        }
    }
}

/// Adds an S3 account, or replaces an account's key. Answered once the key is on the disk, sealed.
package struct AddKeyAccount: WireRequest {
    package static let name = "accounts.addKey"
    package struct Reply: Codable, Sendable, Equatable {
        package var row: AccountRow
        /// Whether there was no account with that name.
        package var isNew: Bool
        /// Why it is unknown whether the server accepts the key, as a sentence; nil if it does.
        package var notChecked: String?
        package init(row: AccountRow, isNew: Bool, notChecked: String?) {
            self.row = row
            self.isNew = isNew
            self.notChecked = notChecked
        }
    }
    /// `accountID`, `email` and `state` are ignored.
    package var account: Account
    package var key: AccessKey

    package init(account: Account, key: AccessKey) {
        self.account = account
        self.key = key
    }

    /// - Throws: `RequestError` for values that no server could have given.
    package func validate() throws(RequestError) {
        try account.validate()
        guard account.kind == .s3 else {
            throw .invalidValue("An account at \(account.kind.title) has no key: sign in to it")
        }
        guard key.isSound else {
            throw .invalidValue("That is not a key: its ID and its secret must be ASCII without spaces")
        }
        guard key.sessionToken == nil else {
            throw .invalidValue("A key with a session token lasts for hours, but an account is kept: use a profile")
        }
    }
}

/// Keeps an account that a person has been shown, or revokes its tokens. Answered once either is done.
package struct ConfirmAccount: WireRequest {
    package static let name = "accounts.confirm"
    package struct Reply: Codable, Sendable, Equatable {
        /// The account, if it is kept.
        package var row: AccountRow?
        package var isNew: Bool
        /// Why the service still accepts the discarded tokens, as a sentence.
        package var notRevoked: String?
        package init(row: AccountRow?, isNew: Bool = false, notRevoked: String? = nil) {
            self.row = row
            self.isNew = isNew
            self.notRevoked = notRevoked
        }
    }
    package var number: UInt64
    package var keeps: Bool
    package init(number: UInt64, keeps: Bool) {
        self.number = number
        self.keeps = keeps
    }
}

/// All accounts, by name, without any token data.
package struct ListAccounts: WireRequest {
    package static let name = "accounts.list"
    package struct Reply: Codable, Sendable, Equatable {
        package var rows: [AccountRow]
        package init(rows: [AccountRow]) { self.rows = rows }
    }
    package init() {}
}

/// Has the service revoke an account's tokens, if it can be reached, and forgets them.
package struct RemoveAccount: WireRequest {
    package static let name = "accounts.remove"
    package struct Reply: Codable, Sendable, Equatable {
        /// Why the service still accepts the tokens, as a sentence; nil if it no longer does.
        package var notRevoked: String?
        package init(notRevoked: String?) { self.notRevoked = notRevoked }
    }
    package var account: String
    package init(account: String) { self.account = account }
}

/// An account in a list.
package struct AccountRow: Codable, Sendable, Equatable {
    package enum Standing: String, Codable, Sendable {
        case usable
        /// A person has to sign in again.
        case needsSignIn
        /// Something on this machine prevents its use; nothing is lost.
        case blocked
    }

    package var account: Account
    package var standing: Standing
    /// Why it is not usable, as a sentence.
    package var reason: String?
    /// When it began to need a new sign-in.
    package var since: Date?
    /// When the access token expires; nil for never, or when there is none.
    package var tokenEnds: Date?
    /// Whether the daemon can renew the access token without a person.
    package var renewsItself: Bool

    package init(
        account: Account,
        standing: Standing,
        reason: String? = nil,
        since: Date? = nil,
        tokenEnds: Date? = nil,
        renewsItself: Bool
    ) {
        self.account = account
        self.standing = standing
        self.reason = reason
        self.since = since
        self.tokenEnds = tokenEnds
        self.renewsItself = renewsItself
    }
}
