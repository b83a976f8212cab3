// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// The page on which a person grants an app access to an account, and which then shows the code.
package struct AuthorizePage: Sendable {
    package let url: String

    /// The scopes for uploading, and for the e-mail address that is shown with the account.
    package static let scopes = ["account_info.read", "files.content.write", "files.metadata.read"]

    /// - Parameters:
    ///   - endpoints: the account's endpoints.
    ///   - appKey: the app's key.
    ///   - challenge: the code's challenge.
    ///   - redirect: where the browser is sent with the code, and the `state` that it must return; nil for a code
    ///     that the page shows.
    package init(
        _ endpoints: DropboxEndpoints,
        appKey: String,
        challenge: String,
        redirect: (uri: String, state: String)?
    ) {
        var fields = [
            (name: "client_id", value: appKey), (name: "response_type", value: "code"),
            (name: "code_challenge", value: challenge), (name: "code_challenge_method", value: "S256"),
            // Only this yields a refresh token: without one the account would be usable for four hours.
            (name: "token_access_type", value: "offline"),
            (name: "scope", value: Self.scopes.joined(separator: " ")),
        ]
        if let redirect {
            fields += [(name: "redirect_uri", value: redirect.uri), (name: "state", value: redirect.state)]
        }
        url = endpoints.authorize + "?" + URLEncodedForm.encode(fields)
    }
}
