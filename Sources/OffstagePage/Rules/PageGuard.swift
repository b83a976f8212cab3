// SPDX-License-Identifier: Apache-2.0

/// Access control: the rules that every request must pass before it is answered.
///
/// That the peer is a process of this user was checked when the connection was accepted.
package struct PageGuard: Sendable {
    /// What a request may do.
    package enum Verdict: Sendable, Equatable {
        case refused(PageRefusal)
        /// The link was used for the first time, and these cookies are set.
        case entered(cookies: [String])
        case admitted
    }

    /// The path prefix before the link's secret.
    package static let entrance = "/open/"
    /// The path of the metrics, which need their own token.
    package static let metrics = "/metrics"
    /// The header field required for a change. A form cannot set it, and another site's script needs a preflight.
    package static let field = "offstage-page"
    /// The longest path and the most fields that are accepted.
    private static let longestPath = 2048
    private static let mostFields = 64
    /// The destinations of scripts that run without a page (Fetch, 3.5.1 "destination").
    private static let workers: Set<String> = ["serviceworker", "sharedworker", "worker"]

    private let address: PageAddress
    private let port: UInt16
    private var keys: PageKeys
    /// A second address, `127.0.0.1:PORT`, that serves only metrics; nil if there is none.
    private let fixedAuthority: String?

    /// - Parameters:
    ///   - address: the page's address.
    ///   - port: its port.
    ///   - keys: its secrets.
    ///   - metricsPort: the port of 127.0.0.1 at which metrics are also served; nil for none.
    package init(at address: PageAddress, port: UInt16, keys: PageKeys, metricsPort: UInt16? = nil) {
        self.address = address
        self.port = port
        self.keys = keys
        fixedAuthority = metricsPort.map { "\(PageAddress.fixed):\($0)" }
    }

    /// `127.A.B.C:PORT`.
    package var authority: String { "\(address):\(port)" }
    package var origin: String { "http://\(authority)" }

    /// Cookies do not distinguish ports, so the name keeps the pages of two processes apart. Browsers that accept a
    /// secure cookie from this network accept the first name only from this very host. The second name is for other
    /// browsers.
    private var strictName: String { "__Host-offstage-\(port)" }
    private var plainName: String { "offstage-\(port)" }

    /// Decides on a request. The link's secret is used up by the first request that has it.
    ///
    /// - Parameter request: the request's head.
    /// - Returns: what the request may do.
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

    /// Why a request is not from this page; nil if it is.
    private func foreign(_ request: PageRequest) -> PageRefusal? {
        guard request.method == "GET" || request.method == "POST" else { return .method }
        guard request.path.utf8.count <= Self.longestPath, request.headers.count <= Self.mostFields else {
            return .tooLong
        }
        // Other programs may use a fixed address before and after this process: no page and no link works there.
        let isAtFixed = fixedAuthority != nil && request.only("host") == fixedAuthority
        guard request.only("host") == authority || isAtFixed && request.path == Self.metrics else { return .host }
        // A worker installed here could see and make every later request.
        let purposes = request.headers["sec-fetch-dest"] ?? []
        guard request.headers["service-worker"] == nil, !purposes.contains(where: { Self.workers.contains($0) }) else {
            return .worker
        }
        if let origins = request.headers["origin"], origins != [origin] { return .origin }
        // Browsers report a request's initiator. A link may be followed from anywhere, as its secret is what counts.
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
