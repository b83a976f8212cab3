// SPDX-License-Identifier: Apache-2.0
import OffstagePage
import OffstageTestSupport
import Testing

/// Attacks on the page, as values. `scripts/page-check` tries them on a running page.
@Suite struct PageGuardTests {
    private static let origin = "http://127.0.0.1:4711"
    private static let head = ["host": ["127.0.0.1:4711"]]
    private static let change = [
        "host": ["127.0.0.1:4711"], "origin": [origin], "offstage-page": ["1"], "content-type": ["application/json"],
        "cookie": ["offstage-4711=c00kie"],
    ]
    private var guardian = PageGuard(at: .fixed, port: 4711, keys: PageKeys(link: "link", cookie: "c00kie"))

    private func request(
        _ method: String = "GET",
        _ path: String = "/",
        _ headers: [String: [String]]
    ) -> PageRequest {
        PageRequest(method: method, path: path, headers: headers)
    }

    private func with(_ name: String, _ values: [String]?, in headers: [String: [String]] = change) -> [String:
        [String]]
    {
        var headers = headers
        headers[name] = values
        return headers
    }

    @Test mutating func `the link lets in once, and sets cookies that no script and no other site sees`() {
        guard case .entered(let cookies) = guardian.verdict(on: request("GET", "/open/link", Self.head)) else {
            Issue.record("the link did not let in")
            return
        }
        #expect(
            cookies == [
                "__Host-offstage-4711=c00kie; Secure; Path=/; HttpOnly; SameSite=Strict",
                "offstage-4711=c00kie; Path=/; HttpOnly; SameSite=Strict",
            ]
        )
        #expect(guardian.verdict(on: request("GET", "/open/link", Self.head)) == .refused(.link))
        #expect(guardian.verdict(on: request("GET", "/", Self.change)) == .admitted)
    }

    @Test(arguments: ["", "lin", "link/", "linkk", "Link"])
    mutating func `a wrong secret lets nobody in, and does not use up the right one`(secret: String) {
        #expect(guardian.verdict(on: request("GET", "/open/\(secret)", Self.head)) == .refused(.link))
        #expect(guardian.verdict(on: request("GET", "/open/link", Self.head)) != .refused(.link))
    }

    @Test mutating func `a form cannot use the link up`() {
        #expect(guardian.verdict(on: request("POST", "/open/link", Self.head)) == .refused(.cookie))
        #expect(guardian.verdict(on: request("GET", "/open/link", Self.head)) != .refused(.link))
    }

    @Test(arguments: [
        [], ["127.0.0.1"], ["127.0.0.1:80"], ["localhost:4711"], ["evil.example:4711"], ["evil.example"],
        ["127.0.0.1:4711", "127.0.0.1:4711"], ["127.0.0.1:4711, evil.example"], [" 127.0.0.1:4711"], ["[::1]:4711"],
    ])
    mutating func `a rebound name and any other host are refused`(host: [String]) {
        let headers = with("host", host.isEmpty ? nil : host)
        #expect(guardian.verdict(on: request("GET", "/", headers)) == .refused(.host))
        #expect(guardian.verdict(on: request("GET", "/open/link", headers)) == .refused(.host))
        #expect(guardian.verdict(on: request("POST", "/api/act", headers)) == .refused(.host))
    }

    @Test(arguments: [
        ["https://evil.example"], ["http://evil.example"], ["null"], ["http://127.0.0.1"], ["http://127.0.0.1:4712"],
        ["https://127.0.0.1:4711"], ["http://localhost:4711"], [""], [origin, origin], [origin, "http://evil.example"],
    ])
    mutating func `another site, and a page at another port, are refused`(origins: [String]) {
        let headers = with("origin", origins)
        #expect(guardian.verdict(on: request("GET", "/api/list", headers)) == .refused(.origin))
        #expect(guardian.verdict(on: request("POST", "/api/act", headers)) == .refused(.origin))
    }

    @Test(arguments: ["cross-site", "same-site", "nonsense", ""])
    mutating func `what the browser says another site asked for is refused, but for the link`(site: String) {
        let headers = with("sec-fetch-site", [site])
        #expect(guardian.verdict(on: request("GET", "/", headers)) == .refused(.origin))
        #expect(guardian.verdict(on: request("GET", "/api/list", headers)) == .refused(.origin))
        let image = with("sec-fetch-mode", ["no-cors"], in: with("sec-fetch-site", [site], in: Self.head))
        #expect(guardian.verdict(on: request("GET", "/open/link", image)) == .refused(.origin))
        let followed = with("sec-fetch-mode", ["navigate"], in: with("sec-fetch-site", [site], in: Self.head))
        guard case .entered = guardian.verdict(on: request("GET", "/open/link", followed)) else {
            Issue.record("a link that was followed from elsewhere did not let in")
            return
        }
    }

    @Test(arguments: [
        nil, [""], ["offstage-4711="], ["offstage-4711=c00ki"], ["offstage-4711=c00kie2"], ["offstage-4712=c00kie"],
        ["c00kie"], ["other=c00kie"], ["offstage-4711=\"c00kie\""],
    ])
    mutating func `without the cookie of this process there is nothing`(cookie: [String]?) {
        let headers = with("cookie", cookie)
        for path in ["/", "/page.css", "/api/list", "/api/news"] {
            #expect(guardian.verdict(on: request("GET", path, headers)) == .refused(.cookie))
        }
        #expect(guardian.verdict(on: request("POST", "/api/act", headers)) == .refused(.cookie))
    }

    @Test(arguments: [
        ["offstage-4711=c00kie"], ["__Host-offstage-4711=c00kie"], ["a=b; offstage-4711=c00kie;c=d"],
        ["offstage-4711=planted", "offstage-4711=c00kie"], ["offstage-4711=planted; __Host-offstage-4711=c00kie"],
    ])
    mutating func `the cookie is found beside others`(cookie: [String]) {
        #expect(guardian.verdict(on: request("GET", "/", with("cookie", cookie))) == .admitted)
    }

    @Test mutating func `a token reads metrics, and nothing else`() {
        var guardian = PageGuard(
            at: .fixed,
            port: 4711,
            keys: PageKeys(link: "link", cookie: "c00kie", metrics: "t0ken")
        )
        let token = with("authorization", ["Bearer t0ken"], in: Self.head)
        #expect(guardian.verdict(on: request("GET", "/metrics", token)) == .admitted)
        #expect(
            guardian.verdict(on: request("GET", "/metrics", with("authorization", ["bearer t0ken"], in: token)))
                == .admitted
        )
        for path in ["/", "/page.css", "/api/list", "/api/state", "/metrics/", "/metricsx", ""] {
            #expect(guardian.verdict(on: request("GET", path, token)) == .refused(.cookie))
        }
        #expect(guardian.verdict(on: request("POST", "/metrics", token)) == .refused(.cookie))
        #expect(guardian.verdict(on: request("POST", "/api/act", token)) == .refused(.cookie))
        for wrong in ["Bearer t0ke", "Bearer t0kenn", "Bearer ", "Bearer", "t0ken", "Basic t0ken", "Bearer c00kie", ""]
        {
            let headers = with("authorization", [wrong], in: Self.head)
            #expect(guardian.verdict(on: request("GET", "/metrics", headers)) == .refused(.token))
        }
        let twice = with("authorization", ["Bearer t0ken", "Bearer t0ken"], in: Self.head)
        #expect(guardian.verdict(on: request("GET", "/metrics", twice)) == .refused(.cookie))
        #expect(guardian.verdict(on: request("GET", "/metrics", Self.head)) == .refused(.cookie))
        #expect(
            guardian.verdict(on: request("GET", "/metrics", with("host", ["evil.example:4711"], in: token)))
                == .refused(.host)
        )
        #expect(
            guardian.verdict(on: request("GET", "/metrics", with("origin", ["http://evil.example"], in: token)))
                == .refused(.origin)
        )
        // If there is no token, no request has it.
        #expect(self.guardian.verdict(on: request("GET", "/metrics", token)) == .refused(.token))
        #expect(
            self.guardian.verdict(on: request("GET", "/metrics", with("authorization", ["Bearer "], in: token)))
                == .refused(.token)
        )
    }

    @Test func `a page is served at an address that nobody knows before, under that one alone`() {
        var random = SeededGenerator(seed: 7)
        let addresses = (0..<1000).map { _ in PageAddress.fresh(using: &random) }
        #expect(Set(addresses.map(\.description)).count > 990)
        for address in addresses {
            let parts = address.description.split(separator: ".").compactMap { UInt32($0) }
            #expect(parts.count == 4 && parts[0] == 127 && parts.allSatisfy { $0 <= 255 })
            #expect((1...254).contains(parts[1]) && (1...254).contains(parts[3]))
            #expect(address.value == parts.reduce(0) { $0 << 8 | $1 } && address != .fixed)
        }
        var guardian = PageGuard(at: addresses[0], port: 4711, keys: PageKeys(link: "link", cookie: "c00kie"))
        #expect(guardian.origin == "http://\(addresses[0]):4711")
        #expect(guardian.verdict(on: request("GET", "/open/link", Self.head)) == .refused(.host))
        #expect(guardian.verdict(on: request("GET", "/", Self.change)) == .refused(.host))
        let head = ["host": ["\(addresses[0]):4711"]]
        guard case .entered = guardian.verdict(on: request("GET", "/open/link", head)) else {
            Issue.record("the link did not let in")
            return
        }
    }

    @Test func `at the fixed address there are metrics for the token, and nothing else`() {
        var random = SeededGenerator(seed: 8)
        let address = PageAddress.fresh(using: &random)
        let keys = PageKeys(link: "link", cookie: "c00kie", metrics: "t0ken")
        var guardian = PageGuard(at: address, port: 4711, keys: keys, metricsPort: 4711)
        let token = with("authorization", ["Bearer t0ken"], in: Self.head)
        #expect(guardian.verdict(on: request("GET", "/metrics", token)) == .admitted)
        #expect(
            guardian.verdict(on: request("GET", "/metrics", with("authorization", ["Bearer x"], in: token)))
                == .refused(.token)
        )
        // Neither the cookie nor the link is valid there.
        #expect(
            guardian.verdict(on: request("GET", "/metrics", with("cookie", ["offstage-4711=c00kie"], in: Self.head)))
                == .refused(.token)
        )
        #expect(guardian.verdict(on: request("POST", "/metrics", Self.head)) == .refused(.token))
        for path in ["/", "/open/link", "/main.js", "/api/list", "/api/act", "/metrics/"] {
            #expect(guardian.verdict(on: request("GET", path, with("origin", nil))) == .refused(.host))
            #expect(guardian.verdict(on: request("POST", path, Self.change)) == .refused(.host))
        }
        var other = PageGuard(at: address, port: 4711, keys: keys)
        #expect(other.verdict(on: request("GET", "/metrics", token)) == .refused(.host))
    }

    @Test(arguments: [
        ["service-worker": ["script"]], ["service-worker": [""]], ["sec-fetch-dest": ["serviceworker"]],
        ["sec-fetch-dest": ["empty", "serviceworker"]], ["sec-fetch-dest": ["sharedworker"]],
        ["sec-fetch-dest": ["worker"]],
    ])
    mutating func `no script is given to a worker, which would go on without the page`(fields: [String: [String]]) {
        let headers = Self.change.merging(fields) { $1 }
        for path in ["/main.js", "/", "/api/list", "/open/link"] {
            #expect(guardian.verdict(on: request("GET", path, headers)) == .refused(.worker))
        }
        #expect(guardian.verdict(on: request("GET", "/main.js", with("sec-fetch-dest", ["script"]))) == .admitted)
    }

    @Test mutating func `a change is the page's own: no form, no simple request, nothing without an origin`() {
        #expect(guardian.verdict(on: request("POST", "/api/act", Self.change)) == .admitted)
        let others: [[String: [String]]] = [
            with("origin", nil), with("offstage-page", nil), with("offstage-page", ["0"]),
            with("content-type", nil), with("content-type", ["text/plain"]),
            with("content-type", ["application/x-www-form-urlencoded"]),
            with("content-type", ["multipart/form-data; boundary=x"]),
        ]
        for headers in others {
            #expect(guardian.verdict(on: request("POST", "/api/act", headers)) == .refused(.form))
        }
    }

    @Test(arguments: ["HEAD", "PUT", "DELETE", "OPTIONS", "CONNECT", "TRACE", "get", ""])
    mutating func `only two methods are answered`(method: String) {
        #expect(guardian.verdict(on: request(method, "/", Self.change)) == .refused(.method))
    }

    @Test mutating func `long and many fields are refused`() {
        let long = "/" + String(repeating: "a", count: 3000)
        #expect(guardian.verdict(on: request("GET", long, Self.change)) == .refused(.tooLong))
        var many = Self.change
        for number in 0..<80 { many["x-\(number)"] = ["1"] }
        #expect(guardian.verdict(on: request("GET", "/", many)) == .refused(.tooLong))
    }

    @Test func `secrets are long, and never the same`() {
        let secrets = (0..<100).map { _ in PageKeys.secret() }
        #expect(Set(secrets).count == 100)
        #expect(secrets.allSatisfy { $0.utf8.count == 64 && $0.allSatisfy(\.isHexDigit) })
    }

    @Test func `no refusal says anything of what there is`() {
        for refusal in PageRefusal.allCases {
            #expect((400...503).contains(refusal.status))
            #expect(!refusal.sentence.isEmpty)
            #expect(PageReply(refusal).cookies.isEmpty)
        }
    }
}
