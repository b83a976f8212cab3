// SPDX-License-Identifier: Apache-2.0

/// The page on which a person authorizes an app. There is no button to press: opening the page is consent.
extension EmulatedDropbox {
    mutating func authorize(_ request: EmulatorRequest, _ now: Double) throws(DropboxRefusal) -> EmulatorReply {
        guard request.method == "GET" else { throw .status(405, "The authorize page is opened with GET.\n") }
        let query = request.query
        guard let client = query["client_id"], !client.isEmpty else { throw .malformed("Missing client_id.\n") }
        guard oauth.knows(client) else { throw .malformed("Invalid client_id: \"\(client)\".\n") }
        let redirect = query["redirect_uri"]
        if let redirect, !AuthorizationRequest.isAllowedRedirect(redirect) {
            throw .malformed("Invalid redirect_uri: it must be https, or http on localhost or 127.0.0.1.\n")
        }
        let state = query["state"].map { [("state", $0)] } ?? []
        do throws(DropboxRefusal) {
            let code = try makeCode(AuthorizationRequest(query, client: client, redirect: redirect), now)
            guard let redirect else { return .page(showing: code) }
            return .redirection(to: redirect, [("code", code)] + state)
        } catch {
            guard case .oauth(let name, let description) = error, let redirect else { throw error }
            return .redirection(to: redirect, [("error", name), ("error_description", description)] + state)
        }
    }

    private mutating func makeCode(_ asked: AuthorizationRequest, _ now: Double) throws(DropboxRefusal) -> String {
        if rules.deniesAuthorization {
            throw .oauth(error: "access_denied", description: "The user chose not to give your app access")
        }
        ensureAccount(asked.account)
        return oauth.add(asked.code(until: now + rules.codeLifetime), &random)
    }
}
