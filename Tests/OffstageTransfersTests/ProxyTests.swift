// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// The proxies from the environment of a transfer's hand-over.
struct ProxyTests {
    let harness: EngineHarness
    let proxy: FaultServer
    let file = FaultFile(random: 5000, seed: 1)

    init() throws {
        harness = try EngineHarness()
        proxy = try FaultServer()
    }

    @Test func `an http request goes to the http proxy`() throws {
        proxy.script("http://far.invalid/file", .file(file))
        let run = try harness.download("http://far.invalid/file") { $0.spec.proxy = .init(http: proxy.url("")) }
        #expect(try run.end().answer?.status == 200)
        #expect(try run.content() == file.bytes)
    }

    @Test func `the proxy for all schemes is the last resort`() throws {
        proxy.script("http://far.invalid/file", .file(file))
        let run = try harness.download("http://far.invalid/file") {
            $0.spec.proxy = .init(https: "http://127.0.0.1:1", all: proxy.url(""))
        }
        #expect(try run.end().answer?.status == 200)
    }

    @Test func `an exempted host is reached directly`() throws {
        let server = try FaultServer()
        server.script("/file", .file(file))
        let run = try harness.download(server.url("/file")) {
            $0.spec.proxy = .init(http: proxy.url(""), none: "example.com,127.0.0.1")
        }
        #expect(try run.end().answer?.status == 200)
        #expect(proxy.connections == 0)
    }

    /// Values of `no_proxy`, each with a host.
    static let exemptions = [
        ("b.invalid", "b.invalid"), ("a b.invalid", "b.invalid"), ("a ,b.invalid", "b.invalid"),
        (".b.invalid", "b.invalid"), (".b.invalid", "c.b.invalid"), ("b.invalid", "c.b.invalid"),
        ("b.invalid", "cb.invalid"), ("b.invalid.", "b.invalid"), ("b.invalid", "b.invalid."), ("*", "b.invalid"),
        ("*,x", "b.invalid"), ("*.invalid", "b.invalid"), ("127.0.0.0/8", "127.0.0.9"),
        ("127.0.0.0/33", "127.0.0.9"), ("127.0.0.9/0", "127.0.0.9"), ("127.0.0.9/0", "127.0.0.8"),
        ("127.1", "127.0.0.1"), ("::1", "[::1]"), ("[::1]", "[::1]"), ("B.INVALID", "b.invalid"),
        ("b.invalid:9", "b.invalid"), ("127.0.0.8/x", "127.0.0.8"), ("127.0.0.0/8x", "127.0.0.8"),
        ("127.0.0.0/-8", "127.0.0.8"), (".", "b.invalid"), (",,b.invalid", "b.invalid"), ("a;b.invalid", "b.invalid"),
        ("..invalid", "b.invalid"), ("127.0.0.01", "127.0.0.1"), ("127.0.0.1", "[::ffff:127.0.0.1]"),
    ]

    @Test(arguments: exemptions)
    func `the rule says of a host what libcurl does with it`(none: String, host: String) throws {
        let port = try FreePort.find()
        let url = "http://\(host):\(port)/file"
        proxy.script(url, .file(file))
        let proxies = ProxyEnvironment(http: proxy.url(""), none: none)
        let run = try harness.download(url) { $0.spec.proxy = proxies }
        _ = try run.end()
        #expect((proxies.proxy(for: try RequestURL(url)) != nil) == (proxy.connections > 0))
    }

    @Test func `a redirect to another scheme takes that scheme's proxy`() throws {
        let secure = try FaultServer()
        proxy.script("http://far.invalid/file", .redirect(to: "https://far.invalid/file"))
        secure.script("far.invalid:443", .status(403))
        let run = try harness.download("http://far.invalid/file") {
            $0.spec.proxy = .init(http: proxy.url(""), https: secure.url(""))
        }
        #expect(try run.end().failure?.code == .proxyFailed)
        #expect(secure.requests.map(\.method) == ["CONNECT"])
    }

    @Test(arguments: [403, 407, 502])
    func `a proxy that refuses a tunnel is the one that failed`(status: Int) throws {
        proxy.script("far.invalid:443", .status(status))
        let run = try harness.download("https://far.invalid/file") { $0.spec.proxy = .init(https: proxy.url("")) }
        let failure = try run.end().failure
        #expect(failure?.code == .proxyFailed)
        #expect(failure?.detail == "the proxy answered \(status) when it was asked for far.invalid:443")
        #expect(failure?.advice.contains("--proxy-user") == (status == 407))
    }

    @Test(arguments: ["http", "https"])
    func `a proxy that is down is the one that failed, and is named`(scheme: String) throws {
        let port = try FreePort.find()
        let dead = "http://user:secret@127.0.0.1:\(port)"
        let run = try harness.download("\(scheme)://far.invalid/file") { $0.spec.proxy = .init(all: dead) }
        let failure = try run.end().failure
        #expect(failure?.code == .proxyFailed)
        #expect(failure?.detail == "cannot connect to the proxy 127.0.0.1:\(port): Connection refused")
    }

    @Test func `a server that is down is the one that failed, though a proxy is set for others`() throws {
        let port = try FreePort.find()
        let run = try harness.download("http://127.0.0.1:\(port)/file") {
            $0.spec.proxy = .init(http: proxy.url(""), none: "127.0.0.1")
        }
        #expect(try run.end().failure?.code == .cannotConnect)
    }

    @Test func `a proxy without an address is the one that failed`() throws {
        let run = try harness.download("http://far.invalid/file") {
            $0.spec.proxy = .init(http: "http://proxy.invalid:3128")
        }
        #expect(try run.end().failure?.code == .proxyFailed)
    }
}
