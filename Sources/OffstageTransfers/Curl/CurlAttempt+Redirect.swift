// SPDX-License-Identifier: Apache-2.0
import CCurl
import OffstageCore

/// What changes from one request of an attempt to the next: libcurl follows redirects, but knows nothing of these rules.
extension CurlAttempt {
    /// The head of a redirect is complete, and libcurl has not acted on it yet.
    ///
    /// 307 and 308 repeat method and body. So do 301 and 302, as `curl -X` does and RFC 9110 allows, except for a form
    /// that is posted: nobody's browser sends it twice, and servers that answer so have it already. After 303 the
    /// answer is fetched with GET, where `curl -X` would repeat a method that has no body any more.
    func prepareRedirect() {
        guard let location = head.fields["Location"] else { return }
        let isSeeOther = head.status == 303 && request.spec.method != "HEAD"
        if isSeeOther || isPostedForm && (head.status == 301 || head.status == 302) {
            if isUpload { sentBeforeGet = sent }
            handle.unset(CURLOPT_CUSTOMREQUEST)
            isFetchingAnswer = true
        }
        let target = resolve(location)
        if let target { setProxy(forScheme: target.scheme) }
        if request.spec.pinnedKey != nil { setTrust(isOrigin: target.map(isOrigin) == true) }
        // What cannot be understood here, but perhaps by libcurl, counts as another origin.
        if !hasLeftOrigin, target.map(isOrigin) != true {
            // libcurl withholds Authorization and Cookie; a token in a header of another name is as secret.
            hasLeftOrigin = true
        }
        if isFetchingAnswer || hasLeftOrigin && request.spec.headers.contains(where: \.isSensitive) {
            handle.setHeaders(headerLines())
        }
    }

    /// Whether it is a form with the method that browsers know for it.
    var isPostedForm: Bool {
        if case .form = request.spec.direction { isUpload && request.spec.method == "POST" } else { false }
    }

    /// Whether the server asks for a digest of the password, and has not been given one yet.
    var asksForDigest: Bool {
        guard head.status == 401, authentication == .basic, request.spec.credentials != nil else { return false }
        return AuthenticationOffer.offers(in: head.fields).contains { $0.scheme == "digest" }
    }

    private func isOrigin(_ url: RequestURL) -> Bool {
        let origin = request.spec.url
        return url.scheme == origin.scheme && url.host == origin.host && url.port == origin.port
    }

    /// Makes a `Location` absolute; nil for what libcurl will refuse.
    private func resolve(_ location: String) -> RequestURL? {
        guard let base = handle.string(of: CURLINFO_EFFECTIVE_URL), let url = curl_url() else { return nil }
        defer { curl_url_cleanup(url) }
        guard curl_url_set(url, CURLUPART_URL, base, 0) == CURLUE_OK,
            curl_url_set(url, CURLUPART_URL, location, Self.lenient) == CURLUE_OK
        else { return nil }
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(url, CURLUPART_URL, &text, 0) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return try? RequestURL(String(cString: text))
    }

    /// As libcurl itself reads a `Location`.
    private static let lenient = UInt32(CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE | CURLU_ALLOW_SPACE)
}
