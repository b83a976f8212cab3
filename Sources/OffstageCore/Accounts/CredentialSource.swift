// SPDX-License-Identifier: Apache-2.0

/// Where the daemon gets what authorizes the requests of an upload.
package enum CredentialSource: Sendable, Hashable {
    /// An account of the daemon's, by its name.
    case account(String)
    /// A profile in the files that the AWS command line keeps.
    case profile(AWSProfile)
    /// A key file or a command that gives tokens of Google.
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
