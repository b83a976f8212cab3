// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials

/// An account at a file service, as stored: everything except its tokens and keys.
package struct Account: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        case dropbox, s3

        /// For people.
        package var title: String {
            switch self {
            case .dropbox: "Dropbox"
            case .s3: "S3"
            }
        }

        /// What the command that adds an account does, as part of a sentence.
        package var adds: String {
            switch self {
            case .dropbox: "signs in to"
            case .s3: "adds"
            }
        }
    }

    /// The account's service, and the details that depend on it.
    package enum Service: Sendable, Hashable {
        /// - Parameter appKey: the service's identifier of the app that it has authorized; not a secret.
        case dropbox(appKey: String, DropboxEndpoints)
        /// The server whose keys it holds, and the usual region.
        case s3(S3Endpoint)
    }

    /// Whether it can be used.
    package enum State: Sendable, Hashable, Codable {
        case usable
        /// A person must sign in again.
        case needsSignIn(SignInReason, since: Date)
    }

    /// Its name for people, and the word before the colon in `dropbox:/path`.
    package var name: String
    package var service: Service
    /// The service's own identifier for it, or the beginning and the end of a key's ID; nil if unknown.
    package var accountID: String?
    package var email: String?
    package var addedAt: Date
    package var state: State = .usable
    /// The proxies in the environment in which it was added.
    package var proxy: ProxyEnvironment
    /// A PEM file of certificate authorities, in place of the system's.
    package var certificateAuthorityPath: String?

    package init(
        name: String,
        service: Service,
        accountID: String? = nil,
        email: String? = nil,
        addedAt: Date,
        proxy: ProxyEnvironment = .init(),
        certificateAuthorityPath: String? = nil
    ) {
        self.name = name
        self.service = service
        self.accountID = accountID
        self.email = email
        self.addedAt = addedAt
        self.proxy = proxy
        self.certificateAuthorityPath = certificateAuthorityPath
    }

    /// An account at Dropbox.
    package init(
        name: String,
        appKey: String,
        endpoints: DropboxEndpoints = .dropbox,
        accountID: String? = nil,
        email: String? = nil,
        addedAt: Date,
        proxy: ProxyEnvironment = .init(),
        certificateAuthorityPath: String? = nil
    ) {
        self.init(
            name: name,
            service: .dropbox(appKey: appKey, endpoints),
            accountID: accountID,
            email: email,
            addedAt: addedAt,
            proxy: proxy,
            certificateAuthorityPath: certificateAuthorityPath
        )
    }

    package var kind: Kind {
        switch service {
        case .dropbox: .dropbox
        case .s3: .s3
        }
    }

    /// The app key and the URLs of an account at Dropbox; nil for other services.
    package var dropbox: (appKey: String, endpoints: DropboxEndpoints)? {
        if case .dropbox(let appKey, let endpoints) = service { (appKey, endpoints) } else { nil }
    }

    /// The server of an account at S3; nil for other services.
    package var s3: S3Endpoint? { if case .s3(let endpoint) = service { endpoint } else { nil } }

    /// The base URL of its server, for people.
    package var server: String {
        switch service {
        case .dropbox(_, let endpoints): endpoints.api
        case .s3(let endpoint): endpoint.server
        }
    }

    /// Rejects invalid values: a name with another meaning, or URLs that secrets must not be sent to.
    package func validate() throws(RequestError) {
        try Self.validate(name: name)
        switch service {
        case .dropbox(let appKey, let endpoints):
            try Self.validate(appKey: appKey)
            try endpoints.validate()
        case .s3(let endpoint): try endpoint.validate()
        }
    }

    /// Whether its tokens may be sent to URLs that begin with `places`, or its key may sign for them: `places` is not
    /// empty, and all of them are its own.
    package func owns(_ places: [String]) -> Bool {
        guard !places.isEmpty else { return false }
        return switch service {
        case .dropbox(_, let endpoints): places.allSatisfy { $0 == endpoints.api || $0 == endpoints.content }
        case .s3(let endpoint): places.allSatisfy(endpoint.owns)
        }
    }

    /// The command that signs in to the account with this name, for sentences.
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

extension Account: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, kind, appKey, endpoints, s3, accountID, email, addedAt, state, proxy, certificateAuthorityPath
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let service: Service =
            switch try container.decode(Kind.self, forKey: .kind) {
            case .dropbox:
                .dropbox(
                    appKey: try container.decode(String.self, forKey: .appKey),
                    try container.decode(DropboxEndpoints.self, forKey: .endpoints)
                )
            case .s3: .s3(try container.decode(S3Endpoint.self, forKey: .s3))
            }
        self.init(
            name: try container.decode(String.self, forKey: .name),
            service: service,
            accountID: try container.decodeIfPresent(String.self, forKey: .accountID),
            email: try container.decodeIfPresent(String.self, forKey: .email),
            addedAt: try container.decode(Date.self, forKey: .addedAt),
            proxy: try container.decode(ProxyEnvironment.self, forKey: .proxy),
            certificateAuthorityPath: try container.decodeIfPresent(String.self, forKey: .certificateAuthorityPath)
        )
        state = try container.decode(State.self, forKey: .state)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(kind, forKey: .kind)
        switch service {
        case .dropbox(let appKey, let endpoints):
            try container.encode(appKey, forKey: .appKey)
            try container.encode(endpoints, forKey: .endpoints)
        case .s3(let endpoint): try container.encode(endpoint, forKey: .s3)
        }
        try container.encodeIfPresent(accountID, forKey: .accountID)
        try container.encodeIfPresent(email, forKey: .email)
        try container.encode(addedAt, forKey: .addedAt)
        try container.encode(state, forKey: .state)
        try container.encode(proxy, forKey: .proxy)
        try container.encodeIfPresent(certificateAuthorityPath, forKey: .certificateAuthorityPath)
    }
}
