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
    /// What browsers call scripts that run without a page (Fetch, 3.5.1 "destination").
    private static let workers: Set<String> = ["serviceworker", "sharedworker", "worker"]

    private let address: PageAddress
    private let port: UInt16
    private var keys: PageKeys
    /// Where metrics are read besides, and nothing else is: `127.0.0.1:PORT`. Nil for nowhere.
    private let fixedAuthority: String?

    /// - Parameters:
    ///   - address: where the page is served.
    ///   - port: its port.
    ///   - keys: its secrets.
    ///   - metricsPort: the port of 127.0.0.1 at which metrics are read besides; nil for none.
    package init(at address: PageAddress, port: UInt16, keys: PageKeys, metricsPort: UInt16? = nil) {
        self.address = address
        self.port = port
        self.keys = keys
        fixedAuthority = metricsPort.map { "\(PageAddress.fixed):\($0)" }
    }

    /// `127.A.B.C:PORT`.
    package var authority: String { "\(address):\(port)" }
    package var origin: String { "http://\(authority)" }

    /// Cookies know no ports: the name keeps the pages of two processes apart. Browsers that take a secure cookie from
    /// this network take one of the first name from nobody but this very host; the second is for the others.
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
        guard request.only("host") == authority else { return .refused(.token) }
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
        // A fixed place may be anybody's before and after this process: no page is shown there, and no link lets in.
        let isAtFixed = fixedAuthority != nil && request.only("host") == fixedAuthority
        guard request.only("host") == authority || isAtFixed && request.path == Self.metrics else { return .host }
        // Whoever has a worker installed here would see and make every later request.
        let purposes = request.headers["sec-fetch-dest"] ?? []
        guard request.headers["service-worker"] == nil, !purposes.contains(where: { Self.workers.contains($0) }) else {
            return .worker
        }
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
