// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Asks a server what is at an address of a transfer (HEAD, RFC 9110, section 9.3.2). Like the transfer's own requests,
/// it carries the owner's header fields and credentials, but no fields that describe a body, a range or a condition.
package struct AddressInquiry: ServerInquiry {
    private let spec: TransferSpec
    private let fields: [HeaderField]
    private let way: TokenRequest.Way
    private let followsRedirects: Bool
    private var connection: ConnectionOptions?
    private var url: RequestURL
    private var redirects = 0
    /// Whether a redirect has led to another server, which gets no secrets.
    private var hasLeftOrigin = false
    private var isForDigest: Bool
    private var patience = InquiryPatience()
    private var end: InquiryStep?

    private static let mostRedirects = 5

    /// - Parameters:
    ///   - spec: the specification of the transfer's own requests (`TransferSpec.asSent`).
    ///   - url: the address to ask about.
    ///   - fields: further header fields.
    ///   - followsRedirects: whether the server may redirect the inquiry, as it did with the transfer.
    package init(_ spec: TransferSpec, at url: RequestURL, fields: [HeaderField] = [], followsRedirects: Bool) {
        self.spec = spec
        self.url = url
        self.fields = fields
        self.followsRedirects = followsRedirects
        hasLeftOrigin = !url.hasOrigin(of: spec.url)
        // As with a dialect's requests, these options were not intended for another server.
        connection = hasLeftOrigin ? nil : spec.connection
        isForDigest = spec.credentials?.isForDigest == true
        way = TokenRequest.Way(spec.proxy, certificateAuthorityPath: spec.certificateAuthorityPath)
    }

    /// The inquiry needs no token.
    package mutating func authorized(_ token: GrantedToken) {}

    package mutating func next(now: Moment) -> InquiryStep {
        if let end { return end }
        if let refusal = patience.refusal(of: url.hostKey, now: now) { return .fail(refusal) }
        var credentials = hasLeftOrigin ? nil : spec.credentials
        if isForDigest { credentials?.isForDigest = true }
        let owners = TokenRequest.OwnersOptions(
            credentials: credentials,
            connection: connection,
            pinnedKey: hasLeftOrigin ? nil : spec.pinnedKey
        )
        let question = TokenRequest.Question("HEAD", headers, owners: owners)
        do throws(RequestError) {
            return .send(try TokenRequest(url.unredacted, .question(question), by: way))
        } catch {
            return .fail(.init(.badServerResponse, String(error.sentence.dropLast())))
        }
    }

    package mutating func answered(_ answer: TokenAnswer, now: Moment) {
        let words = StatusText.of(answer.status)
        switch answer.status {
        case 200..<300, 404, 410:
            var answer = answer
            if redirects > 0 { answer.url = url }
            end = .finish(answer)
        case 300..<400 where followsRedirects: follow(answer)
        case 300..<400: fail("\(url.hostKey) redirects elsewhere (\(words)), where the file was not sent")
        case 401 where offersDigest(answer): isForDigest = true
        case 401 where hasLeftOrigin, 403 where hasLeftOrigin:
            fail("\(url.hostKey), to which the request was redirected, gets no credentials and refuses it (\(words))")
        case 401, 403: fail("\(url.hostKey) refuses the credentials kept with the transfer (\(words))")
        case 405, 501: fail("\(url.hostKey) does not say what is at \(url) (\(words) to HEAD)")
        default: fail("\(url.hostKey) answered \(words)")
        }
    }

    /// Basic goes out with the first request; a server that requires Digest gets it in another request.
    private func offersDigest(_ answer: TokenAnswer) -> Bool {
        !isForDigest && !hasLeftOrigin && spec.credentials != nil
            && AuthenticationOffer.offers(in: answer.headers).contains { $0.scheme == "digest" }
    }

    private mutating func follow(_ answer: TokenAnswer) {
        redirects = redirects.addingClamped(1)
        guard redirects <= min(Self.mostRedirects, spec.connection?.mostRedirects ?? Self.mostRedirects) else {
            return fail("\(url.hostKey) redirects the request too often")
        }
        guard let text = answer.headers["Location"], let next = LocationField.url(text, relativeTo: url),
            next.scheme == "https" || url.scheme == "http"
        else { return fail("\(url.hostKey) redirects the request to an address that cannot be used") }
        url = next
        guard !next.hasOrigin(of: spec.url) else { return }
        hasLeftOrigin = true
        // The client's certificate is only for the server that was named.
        connection?.certificatePath = nil
        connection?.keyPath = nil
    }

    private mutating func fail(_ detail: String) {
        end = .fail(TransferFailure(.httpStatus, detail))
    }

    // MARK: - Header fields

    private var headers: [HeaderField] {
        let hasAppsCredentials = spec.sessionTask != nil && spec.credentials != nil
        var result = spec.headers.filter { field in
            let name = field.name.lowercased()
            return !Self.ofBody.contains(where: name.hasPrefix) && !Self.ofAttempt.contains(name)
                && !(hasAppsCredentials && name == "authorization")
                && !(hasLeftOrigin && !HarmlessHeaders.travels(name))
        }
        // Asks about the file as it was transferred, not about a compressed form of it.
        if result["Accept-Encoding"] == nil { result.append(HeaderField(name: "Accept-Encoding", value: "identity")) }
        if result["Want-Repr-Digest"] == nil {
            result.append(HeaderField(name: "Want-Repr-Digest", value: "sha-256=10"))
        }
        result.append(contentsOf: fields)
        return result
    }

    /// Prefixes of the names of fields that describe a body or an upload, or set a condition.
    private static let ofBody = ["content-", "if-", "upload-", "tus-"]
    private static let ofAttempt: Set<String> = [
        "expect", "idempotency-key", "range", "transfer-encoding", "te", "trailer", "digest", "repr-digest",
        "x-http-method-override",
    ]
}
