// SPDX-License-Identifier: Apache-2.0

/// Why a person must sign in to an account again.
package enum SignInReason: String, Sendable, Hashable, Codable, CaseIterable {
    /// The service no longer accepts the account's refresh token.
    case revoked
    /// The access token has expired, and there is no refresh token.
    case expired
    /// The server does not accept the account's key.
    case keyRefused
    /// The file with the key that encrypts the tokens is missing.
    case keyMissing
    /// That file exists but contains no key.
    case keyDamaged
    /// The present key does not decrypt the tokens: it is a different key, or the tokens were changed.
    case unreadable

    /// What happened, as the middle of a sentence.
    package var detail: String {
        switch self {
        case .revoked: "the service no longer accepts it: it was unlinked there, or its access was revoked"
        case .expired: "its access has expired, and the service gave no refresh token"
        case .keyRefused: "the server does not accept the one it has"
        case .keyMissing: "the key file for its tokens is gone"
        case .keyDamaged: "the key file for its tokens contains no key; move it away first"
        case .unreadable: "the key file does not decrypt its tokens: it is another one, or the store was changed"
        }
    }
}

extension TransferFailure {
    /// The failure of a transfer whose account needs a person.
    package static func signInNeeded(_ account: String, _ reason: SignInReason) -> TransferFailure {
        let need = reason == .keyRefused ? "key" : "sign-in"
        return .init(.accountUnusable, "the account '\(account)' needs a new \(need): \(reason.detail)")
    }

    /// The failure of a transfer whose account is missing.
    package static func noAccount(_ account: String) -> TransferFailure {
        .init(.accountUnusable, "there is no account '\(account.redactedControls)'")
    }

    /// The failure of a transfer whose requests cannot be authorized here.
    package static func notUsable(_ source: CredentialSource) -> TransferFailure {
        switch source {
        case .account(let name): noAccount(name)
        case .profile, .google: .init(.accessKeyRefused, "\(source.words) cannot be read here")
        }
    }

    /// The failure of a transfer that would send a token of its account elsewhere.
    package static func accountElsewhere(_ account: String) -> TransferFailure {
        .init(
            .accountUnusable,
            "the account '\(account.redactedControls)' is on a different server from the one that this was handed over for; hand it over again"
        )
    }

    /// The failure of a transfer whose account was removed, and added again by another person.
    package static func accountOfAnother(_ account: String) -> TransferFailure {
        .init(
            .accountUnusable,
            "the account '\(account.redactedControls)' now belongs to a different person from the one that this was handed over for; hand it over again if it is for them"
        )
    }
}
