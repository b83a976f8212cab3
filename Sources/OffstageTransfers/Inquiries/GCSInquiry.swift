// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Asks Google Cloud Storage for its description of an uploaded object
/// (https://cloud.google.com/storage/docs/json_api/v1/objects/get).
package struct GCSInquiry: ServerInquiry {
    private let requests: GCSRequests
    private let source: CredentialSource
    private let way: TokenRequest.Way
    private var token: String?
    /// A token that the server has refused.
    private var rejected: String?
    private var patience = InquiryPatience()
    private var end: InquiryStep?

    /// - Parameters:
    ///   - spec: the upload's specification.
    ///   - way: the proxies and certificate authorities to use.
    /// - Throws: `RequestError` if it is not an upload to Google Cloud Storage.
    package init(_ spec: TransferSpec, by way: TokenRequest.Way) throws(RequestError) {
        guard let dialect = spec.dialect, case .upload(let source) = spec.direction else {
            throw .invalidValue("Only uploads can use Google Cloud Storage")
        }
        let parameters = try GCSParameters(dialect)
        requests = try GCSRequests(parameters, spec, source: source)
        self.source = .google(GoogleCredentials(parameters.identity, of: spec))
        self.way = way
    }

    private var server: String { requests.object.hostKey }
    private var place: String { requests.parameters.location.text }

    package mutating func authorized(_ token: GrantedToken) {
        self.token = token.text
    }

    package mutating func next(now: Moment) -> InquiryStep {
        if let end { return end }
        if let refusal = patience.refusal(of: server, now: now) { return .fail(refusal) }
        guard let token else { return .authorize(source, rejecting: rejected, places: [requests.parameters.base]) }
        let request = requests.look(token)
        let question = TokenRequest.Question(request.method, request.headers)
        do throws(RequestError) {
            return .send(try TokenRequest(request.url.unredacted, .question(question), by: way))
        } catch {
            return .fail(.init(.badServerResponse, String(error.sentence.dropLast())))
        }
    }

    package mutating func answered(_ answer: TokenAnswer, now: Moment) {
        guard let token else { return }
        let answer = answer.hiding(token)
        let identity = requests.parameters.identity.words
        switch answer.status {
        case 200..<300 where GCSObject(Answer(answer)) != nil: end = .finish(answer)
        case 200..<300: fail(.badServerResponse, "\(server) does not describe the object at \(place)")
        case 404: end = .finish(answer)
        case 401 where rejected == nil: (rejected, self.token) = (token, nil)
        case 401: fail(.accessKeyRefused, "\(server) does not accept the token from \(identity)")
        case 403:
            fail(
                .accessKeyRefused,
                "\(identity) may not read \(place) (storage.objects.get), or there is no such object and it may not list the bucket (storage.objects.list)"
            )
        default: fail(.httpStatus, "\(server) answered \(GCSError(Answer(answer)).words)")
        }
    }

    private mutating func fail(_ code: TransferFailure.Code, _ detail: String) {
        end = .fail(TransferFailure(code, detail))
    }
}
