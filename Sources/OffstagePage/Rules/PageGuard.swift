// SPDX-License-Identifier: Apache-2.0

/// Who gets in: the rules that every request has to pass before anything is answered.
///
/// That the other end of the connection is a process of this user has been checked when it was made.
package struct PageGuard: Sendable {
    /// What a request may do.
    package enum Verdict: Sendable, Equatable {
        case refused(PageRefusal)
        /// The link was used for the first time: these cookies are to be set.
        case entered(cookies: [String])
        case admitted
    }

    /// Where the link's secret stands in its path.
    package static let entrance = "/open/"
    /// Where metrics are read, with a token of their own.
    package static let metrics = "/metrics"
    /// The field that a script has to set for a change: a form cannot, and another site's script has to ask first.
    package static let field = "offstage-page"
    /// The longest path and the most fields that are looked at.
    private static let longestPath = 2048
    private static let mostFields = 64

    private let port: UInt16
    private var keys: PageKeys

    package init(port: UInt16, keys: PageKeys) {
        self.port = port
        self.keys = keys
    }

    /// `127.0.0.1:PORT`.
    package var authority: String { "127.0.0.1:\(port)" }
    package var origin: String { "http://\(authority)" }

    /// Cookies know no ports: the name keeps the pages of two processes apart. Browsers that take a secure cookie from
    /// 127.0.0.1 take one of the first name from nobody but this very host; the second is for the others.
    private var strictName: String { "__Host-offstage-\(port)" }
    private var plainName: String { "offstage-\(port)" }

    /// Decides about a request; the link's secret is used up by the first that brings it.
    ///
    /// - Parameter request: its head.
    /// - Returns: what it may do.
    package mutating func verdict(on request: PageRequest) -> Verdict {
        if let refusal = foreign(request) { return .refused(refusal) }
        if request.method == "GET", request.path.hasPrefix(Self.entrance) {
            guard let cookie = keys.enter(String(request.path.dropFirst(Self.entrance.count))) else {
                return .refused(.link)
            }
            let rest = "Path=/; HttpOnly; SameSite=Strict"
            return .entered(cookies: ["\(strictName)=\(cookie); Secure; \(rest)", "\(plainName)=\(cookie); \(rest)"])
        }
        if request.method == "GET", request.path == Self.metrics, let brought = request.only("authorization") {
            return keys.admitsMetrics(brought) ? .admitted : .refused(.token)
        }
        guard request.cookies([strictName, plainName]).contains(where: keys.admits) else { return .refused(.cookie) }
        if request.method == "POST", !isByThisPage(request) { return .refused(.form) }
        return .admitted
    }

    /// What shows that a request is not this page's.
    private func foreign(_ request: PageRequest) -> PageRefusal? {
        guard request.method == "GET" || request.method == "POST" else { return .method }
        guard request.path.utf8.count <= Self.longestPath, request.headers.count <= Self.mostFields else {
            return .tooLong
        }
        guard request.only("host") == authority else { return .host }
        if let origins = request.headers["origin"], origins != [origin] { return .origin }
        // Browsers say whose idea a request was. A link may be followed from anywhere: its secret is what counts.
        let isLink = request.path.hasPrefix(Self.entrance) && request.only("sec-fetch-mode") == "navigate"
        let sites = request.headers["sec-fetch-site"] ?? []
        guard isLink || sites.allSatisfy({ $0 == "same-origin" || $0 == "none" }) else { return .origin }
        return nil
    }

    private func isByThisPage(_ request: PageRequest) -> Bool {
        request.only("origin") == origin && request.only(Self.field) == "1"
            && request.only("content-type") == "application/json"
    }
}
