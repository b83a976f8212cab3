// SPDX-License-Identifier: Apache-2.0

/// The URLs of a Dropbox account for sign-in, tokens and requests, without a slash at the end.
package struct DropboxEndpoints: Sendable, Hashable, Codable {
    /// The page on which a person authorizes the app.
    package var authorize: String
    /// Exchanges codes and refresh tokens for access tokens.
    package var token: String
    /// The prefix of routes, such as `/files/get_metadata`.
    package var api: String
    /// Like `api`, for routes that carry a file's bytes.
    package var content: String

    /// Dropbox's own URLs.
    package static let dropbox = DropboxEndpoints(
        authorize: "https://www.dropbox.com/oauth2/authorize",
        token: "https://api.dropboxapi.com/oauth2/token",
        api: "https://api.dropboxapi.com/2",
        content: "https://content.dropboxapi.com/2"
    )

    private init(authorize: String, token: String, api: String, content: String) {
        self.authorize = authorize
        self.token = token
        self.api = api
        self.content = content
    }

    /// All URLs below one base URL: an emulator, or a proxy for Dropbox.
    ///
    /// - Parameter base: `https://…`, or `http://…` on this machine.
    /// - Throws: `RequestError` for a URL that secrets must not be sent to, or to which no path can be added.
    package init(below base: String) throws(RequestError) {
        var base = base
        while base.hasSuffix("/") { base.removeLast() }
        try Self.check(base)
        self.init(
            authorize: base + "/oauth2/authorize",
            token: base + "/oauth2/token",
            api: base + "/2",
            content: base + "/2"
        )
    }

    /// - Throws: `RequestError` if secrets must not be sent to one of them.
    package func validate() throws(RequestError) {
        for text in [authorize, token, api, content] { try Self.check(text) }
    }

    /// - Throws: `RequestError` for a URL that secrets must not be sent to, or to which no path can be added.
    static func check(_ text: String) throws(RequestError) {
        let url = try RequestURL(text)
        guard url.mayCarrySecrets else {
            throw .invalidURL(
                "'\(url)' is plain http to another machine, where anybody on the network path could read the tokens; use https"
            )
        }
        guard !text.contains("?"), !text.contains("#") else {
            throw .invalidURL("'\(url)' has a query or a fragment, so no paths can be added to it")
        }
        let authority = text.dropFirst(url.scheme.count + 3).prefix { $0 != "/" }
        guard !authority.contains("@") else {
            throw .invalidURL("'\(url)' names a user; an account signs in only with its own tokens")
        }
    }
}

extension RequestURL {
    /// Whether it leads to this machine.
    package var isLoopback: Bool { host == "localhost" || IPAddress(literal: host)?.isLoopback == true }

    /// Whether no third party on the path can read the requests.
    package var mayCarrySecrets: Bool { scheme == "https" || isLoopback }
}
