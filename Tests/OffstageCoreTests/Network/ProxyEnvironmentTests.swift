// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

/// Which hosts `no_proxy` exempts. `ProxyTests` compares this with libcurl.
@Suite struct ProxyEnvironmentTests {
    @Test(
        arguments: [
            ("example.com", "example.com", true), ("example.com", "www.example.com", true),
            ("example.com", "myexample.com", false), (".example.com", "example.com", true),
            ("*", "anything", true), ("a, example.com", "example.com", true), ("", "example.com", false),
            ("10.0.0.0/8", "10.2.3.4", true), ("10.0.0.0/8", "11.2.3.4", false), ("10.0.0.0/99", "10.2.3.4", false),
            ("10.0.0.0/99999999999999999999", "10.2.3.4", false), ("10.2.3.4/", "10.2.3.4", true),
            ("fe80::1", "fe80::1", true), ("fe80::/10", "fe80::1", false), ("/,/8,//,.,..", "10.2.3.4", false),
        ]
    )
    func `a host is exempt or is not`(none: String, host: String, isExempt: Bool) {
        #expect(ProxyEnvironment(all: "http://p:1", none: none).exempts(host) == isExempt)
    }

    @Test func `the proxy is the scheme's, unless the host is exempt`() throws {
        let proxies = ProxyEnvironment(http: "http://p:1", https: "http://q:2", none: "near.example")
        #expect(proxies.proxy(for: try RequestURL("http://far.example/x")) == "http://p:1")
        #expect(proxies.proxy(for: try RequestURL("https://far.example/x")) == "http://q:2")
        #expect(proxies.proxy(for: try RequestURL("https://near.example/x")) == nil)
    }
}
