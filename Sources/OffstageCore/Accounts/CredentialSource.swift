// SPDX-License-Identifier: Apache-2.0

/// The source of the credentials that authorize an upload's requests.
package enum CredentialSource: Sendable, Hashable {
    /// One of the daemon's accounts, by its name.
    case account(String)
    /// A profile in the files of the AWS command line.
    case profile(AWSProfile)
    /// A key file or a command that provides Google's tokens.
    case google(GoogleCredentials)

    /// For sentences: "the account 'dropbox'".
    package var words: String {
        switch self {
        case .account(let name): "the account '\(name.redactedControls)'"
        case .profile(let profile): "the profile '\(profile.name.redactedControls)'"
        case .google(let credentials): credentials.identity.words
        }
    }

    /// For lists of options: "profile default".
    package var shortWords: String {
        switch self {
        case .account(let name): "account \(name.redactedControls)"
        case .profile(let profile): "profile \(profile.name.redactedControls)"
        case .google(let credentials): credentials.identity.words
        }
    }
}
