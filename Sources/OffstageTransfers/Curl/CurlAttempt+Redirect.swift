// SPDX-License-Identifier: Apache-2.0
import CCurl
import OffstageCore

/// Changes an attempt's request between redirects: libcurl follows redirects, but does not know these rules.
extension CurlAttempt {
    /// Whether libcurl treats the response as a redirect, or would if it read the status as this code does.
    var isRedirect: Bool {
        (300..<400).contains(response.head.status) || (300..<400).contains(handle.long(of: CURLINFO_RESPONSE_CODE))
    }

    /// Called when the head of a redirect is complete and libcurl has not acted on it yet.
    ///
    /// 307 and 308 repeat method and body. So do 301 and 302, as `curl -X` does and RFC 9110 allows, except for a
    /// posted form: no browser sends it twice, and a server that answers this way already has it. After 303 the answer
    /// is fetched with GET; `curl -X` would repeat the method, now without a body.
    func prepareRedirect() {
        let targets = targets
        guard !targets.isEmpty else { return }
        trail.move()
        let isSeeOther = response.head.status == 303 && request.spec.method != "HEAD"
        if isSeeOther || request.isPostedForm && (response.head.status == 301 || response.head.status == 302) {
            trail.fetchAnswer(sent: isUpload ? sent : nil)
            handle.unset(CURLOPT_CUSTOMREQUEST)
        }
        if let target = targets.first, let target { setProxy(forScheme: target.scheme) }
        let origin = CurlOrigin(request.spec.url.unredacted)
        let isOrigin = origin != nil && targets.allSatisfy { $0 == origin }
        if request.spec.pinnedKey != nil || request.spec.connection != nil { setTrust(isOrigin: isOrigin) }
        // libcurl withholds Authorization and Cookie; a token in another header is just as secret.
        if !isOrigin { trail.leaveOrigin() }
        trail.renewCookies(from: response.head.fields)
        if trail.isFetchingAnswer || trail.hasLeftOrigin || handle.keepsCookies { setHeaders() }
    }

    /// Where libcurl may go next. A server can send several locations, an empty one, or one broken over several lines,
    /// and libcurl's choice varies between versions. Nil for one that libcurl will not understand.
    private var targets: [CurlOrigin?] {
        guard let base = handle.string(of: CURLINFO_EFFECTIVE_URL) else { return [nil] }
        let locations = response.head.fields.filter { $0.name.caseInsensitiveEquals("Location") }.map(\.value)
        return locations.filter { !$0.isEmpty }.flatMap { location -> [CurlOrigin?] in
            let first = location.prefix { $0 != " " && $0 != "\t" }
            let all = [location] + (first.utf8.count < location.utf8.count ? [String(first)] : [])
            return all.map { CurlOrigin($0, relativeTo: base) }
        }
    }

    /// Whether the server requires Digest authentication and has not received it yet.
    var asksForDigest: Bool {
        guard response.head.status == 401, manner.authentication == .basic, request.spec.credentials != nil else {
            return false
        }
        return AuthenticationOffer.offers(in: response.head.fields).contains { $0.scheme == "digest" }
    }
}
