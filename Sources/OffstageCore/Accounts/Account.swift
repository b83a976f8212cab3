// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// An account at a service for files, as in the store: everything except its tokens.
package struct Account: Sendable, Hashable, Codable {
    package enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        case dropbox
    }

    /// Whether it can be used.
    package enum State: Sendable, Hashable, Codable {
        case usable
        /// A person has to sign in again.
        case needsSignIn(SignInReason, since: Date)
    }

    /// Its name for people, and the word before the colon in `dropbox:/path`.
    package var name: String
    package var kind: Kind
    /// The service's identifier of the app that it has authorized; not a secret.
    package var appKey: String
    package var endpoints: DropboxEndpoints
    /// The service's own name for it; nil if unknown.
    package var accountID: String?
    package var email: String?
    package var addedAt: Date
    package var state: State = .usable
    /// The proxies in the environment in which it was added.
    package var proxy: TransferSpec.ProxyEnvironment
    /// A PEM file of certificate authorities, in place of the system's.
    package var certificateAuthorityPath: String?

    package init(
        name: String,
        kind: Kind,
        appKey: String,
        endpoints: DropboxEndpoints = .dropbox,
        accountID: String? = nil,
        email: String? = nil,
        addedAt: Date,
        proxy: TransferSpec.ProxyEnvironment = .init(),
        certificateAuthorityPath: String? = nil
    ) {
        self.name = name
        self.kind = kind
        self.appKey = appKey
        self.endpoints = endpoints
        self.accountID = accountID
        self.email = email
        self.addedAt = addedAt
        self.proxy = proxy
        self.certificateAuthorityPath = certificateAuthorityPath
    }

    /// Refuses invalid values: a name that would mean something else, or places that secrets must not be sent to.
    package func validate() throws(RequestError) {
        try Self.validate(name: name)
        try Self.validate(appKey: appKey)
        try endpoints.validate()
    }

    /// Whether its tokens may be sent to URLs that begin with these: there are some, and all of them are its own.
    package func owns(_ places: [String]) -> Bool {
        !places.isEmpty && places.allSatisfy { $0 == endpoints.api || $0 == endpoints.content }
    }

    /// The command that signs in to an account of a name, for sentences.
    package static func signIn(to name: String, _ kind: Kind = .dropbox) -> String {
        "offstage account add \(kind.rawValue)" + (name == kind.rawValue ? "" : " --name \(name.redactedControls)")
    }

    /// The longest name, and the longest app key.
    private static let longestWord = 64

    /// - Throws: `RequestError.invalidValue` for a name that cannot precede a colon, or begins a URL.
    package static func validate(name: String) throws(RequestError) {
        guard isWord(name), name.utf8.first != UInt8(ascii: "-"), name.utf8.first != UInt8(ascii: ".") else {
            throw .invalidValue(
                "'\(name.redactedControls)' cannot be an account's name: use up to \(longestWord) letters, digits and '-', '_' or '.', such as 'work'"
            )
        }
        guard !["http", "https", "file"].contains(name.lowercased()) else {
            throw .invalidValue("An account cannot be called '\(name)': followed by a colon, that begins a URL")
        }
    }

    /// - Throws: `RequestError.invalidValue` for an invalid app key.
    package static func validate(appKey: String) throws(RequestError) {
        guard isWord(appKey) else {
            throw .invalidValue(
                "'\(appKey.redactedControls)' is not an app key: take it from the app's page at the service"
            )
        }
    }

    private static func isWord(_ text: String) -> Bool {
        (1...longestWord).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "-_.".utf8.contains(byte)
                }
            }
    }
}
