// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Asks Dropbox about an uploaded file (`files/get_metadata`): first by the ID that Dropbox gave the file, which finds
/// it even if it was moved, then by its path, where another file may be.
package struct DropboxInquiry: ServerInquiry {
    package let tokenOwner: String?
    private let basis: DropboxUpload.Basis
    private let way: TokenRequest.Way
    /// The paths left to ask about, in order.
    private var paths: [String]
    private var token: String?
    /// A token that Dropbox has refused.
    private var rejected: String?
    private var patience = InquiryPatience()
    private var end: InquiryStep?

    /// The accepted length of an ID, in bytes: Dropbox's have about 25.
    private static let idLengths = 4...128

    /// - Parameters:
    ///   - transfer: the upload, which has completed.
    ///   - way: the proxies and certificate authorities to use.
    /// - Throws: `RequestError` if it is not an upload to Dropbox.
    package init(_ transfer: Transfer, by way: TokenRequest.Way) throws(RequestError) {
        basis = try DropboxUpload.Basis(transfer.spec)
        tokenOwner = DropboxUpload(basis, memory: transfer.dialectMemory).tokenOwner
        self.way = way
        let made = transfer.outcome?.answer.flatMap { DropboxJSON(parsing: $0.bodyStart) }
        paths = [made?["id"].string.flatMap(Self.id), basis.parameters.path].compactMap(\.self)
    }

    private static func id(_ text: String) -> String? {
        let isSound =
            text.hasPrefix("id:") && idLengths.contains(text.utf8.count)
            && text.utf8.allSatisfy { (33...126).contains($0) }
        return isSound ? text : nil
    }

    private var parameters: DropboxParameters { basis.parameters }

    package mutating func authorized(_ token: GrantedToken) {
        self.token = token.text
    }

    package mutating func next(now: Moment) -> InquiryStep {
        if let end { return end }
        guard let path = paths.first else { return .finish(TokenAnswer(status: 404, body: [])) }
        if let refusal = patience.refusal(of: "Dropbox", now: now) { return .fail(refusal) }
        guard let token else {
            return .authorize(
                .account(parameters.account),
                rejecting: rejected,
                places: [parameters.api, parameters.content]
            )
        }
        let question = TokenRequest.Question(
            "POST",
            basis.requests.metadataHeaders(token),
            body: DropboxRequests.metadataArgument(of: path)
        )
        do throws(RequestError) {
            return .send(try TokenRequest(basis.requests.metadataURL.unredacted, .question(question), by: way))
        } catch {
            return .fail(.init(.badServerResponse, String(error.sentence.dropLast())))
        }
    }

    package mutating func answered(_ answer: TokenAnswer, now: Moment) {
        guard let token else { return }
        let answer = answer.hiding(token)
        guard (200..<300).contains(answer.status) else { return refused(DropboxError(Answer(answer))) }
        let json = DropboxJSON(parsing: answer.body)
        if json.flatMap(DropboxFile.init) != nil {
            end = .finish(answer)
        } else if json?.tag == "folder" {
            // The file is gone: a folder has its name.
            paths.removeAll()
        } else {
            end = .fail(.init(.serverMisbehaves, "Dropbox's description of \(parameters.destination) makes no sense"))
        }
    }

    private mutating func refused(_ error: DropboxError) {
        switch error.kind {
        case .path(.notFound, _): paths = Array(paths.dropFirst())
        case .authentication(.expiredAccessToken) where rejected == nil,
            .authentication(.invalidAccessToken) where rejected == nil, .authentication(.unsaid) where rejected == nil:
            (rejected, token) = (token, nil)
        case .forbidden:
            fail(.accountUnusable, "Dropbox does not let the account '\(parameters.account)' make that request")
        case .trouble, .nonsense: fail(.httpStatus, "Dropbox answered \(StatusText.of(error.status))")
        default: end = .fail(error.failure(destination: parameters.destination, account: parameters.account))
        }
    }

    private mutating func fail(_ code: TransferFailure.Code, _ detail: String) {
        end = .fail(TransferFailure(code, detail))
    }
}
