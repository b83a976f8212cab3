// SPDX-License-Identifier: Apache-2.0
import CCurl
import Glibc
import OffstageCore

/// Sets libcurl's options before an attempt.
extension CurlAttempt {
    /// Sets all options; returns a failure if the attempt cannot begin.
    func prepare() -> TransferFailure? {
        handle.reset()
        handle.setCallbacks(self)
        if request.checksSourceFirst, let failure = body?.sourceFailure() { return failure }
        if !options.set() { refuse(Self.noMemory) }
        setProxy(forScheme: request.spec.url.scheme)
        setHeaders()
        // Left over from an attempt that a crash ended.
        if let path = request.bodySpoolPath { unlink(path) }
        return setCertificates() ?? verdictFailure ?? (handle.lacksMemory ? Self.noMemory : nil)
    }

    /// The options that follow from the request alone.
    private var options: RequestOptions {
        RequestOptions(
            request: request,
            handle: handle,
            isUpload: isUpload,
            bodySize: bodySize,
            manner: manner,
            usesOnlyOneOne: usesOnlyOneOne
        )
    }

    static let noMemory = TransferFailure(.daemonInterrupted, "there is not enough memory for the request")

    private var verdictFailure: TransferFailure? {
        if case .failed(let failure)? = verdict { failure } else { nil }
    }

    /// Gives libcurl the header lines. If memory is short, the attempt is broken off: without all of them it would be a
    /// different request.
    func setHeaders() {
        let lines = HeaderLines(
            after: trail,
            withholdsCookies: handle.keepsCookies,
            asksForGoAhead: isUpload && asksForGoAhead
        )
        if !handle.setHeaders(lines.lines(of: request)) { refuse(Self.noMemory) }
        guard handle.keepsCookies else { return }
        // In one field together with libcurl's cookies, as RFC 6265 requires (section 5.4).
        let own = trail.ownCookies(in: request.spec.headers)
        if own.isEmpty { handle.unset(CURLOPT_COOKIE) } else { handle.set(CURLOPT_COOKIE, own.joined(separator: "; ")) }
    }

    /// Sets the proxy. The daemon's own environment is never used: an empty proxy keeps libcurl from reading it.
    func setProxy(forScheme scheme: String) {
        trail.proxy = request.spec.proxy.proxy(forScheme: scheme)
        handle.set(CURLOPT_PROXY, trail.proxy ?? "")
    }

    private func setCertificates() -> TransferFailure? {
        if let key = request.spec.pinnedKey, !PinnedKey.isSound(key) {
            return .init(.certificateRejected, "the pinned key of \(request.spec.url.hostKey) is not a SHA-256")
        }
        setTrust(isOrigin: true)
        if asksOwner, request.spec.pinnedKey == nil {
            let certificates = certificates ?? ServerCertificates()
            self.certificates = certificates
            certificates.watch(handle)
        }
        if let problem = request.spec.connection.flatMap(AuthorityFile.problem(of:)) { return problem }
        guard let path = request.spec.certificateAuthorityPath else { return nil }
        if let problem = AuthorityFile.problem(at: path) { return problem }
        handle.set(CURLOPT_CAINFO, path)
        return nil
    }

    /// Whether the body waits for the server's 100 (Continue).
    var asksForGoAhead: Bool {
        request.expectsGoAhead && turn.goAheads.isWorthAsking(request.spec.url.hostKey, length: bodySize)
    }
}
