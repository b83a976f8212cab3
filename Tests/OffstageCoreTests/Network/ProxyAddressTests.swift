// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct ProxyAddressTests {
    @Test(
        arguments: [
            ("http://proxy.example:3128", "proxy.example:3128"), ("proxy.example:3128", "proxy.example:3128"),
            ("HTTP://Proxy.Example:3128/", "proxy.example:3128"), ("https://proxy.example", "proxy.example:443"),
            ("proxy.example", "proxy.example:1080"), ("socks5h://[::1]:9050", "[::1]:9050"),
            ("http://user:p@ss@10.0.0.1:80", "10.0.0.1:80"), ("socks4a://h:1", "h:1"), ("[::1]", "[::1]:1080"),
        ]
    )
    func `a proxy is named by host and port, without its password`(text: String, name: String) {
        #expect(ProxyAddress(text)?.hostKey == name)
    }

    @Test(
        arguments: [
            "ftp://proxy.example:21", "gopher://h:1", "http://", "http://:80", "://h", "h:", "h:0",
            "h:65536",
            "h:99999999999999999999", "h:port", "http://user@", "[::1", "a b:80", "h\n:80", "",
        ]
    )
    func `what libcurl does not understand is no proxy`(text: String) {
        #expect(ProxyAddress(text) == nil)
    }

    @Test func `each scheme has its proxy, and the one for all is the last resort`() {
        let proxies = ProxyEnvironment(http: "a:1", all: "b:2")
        #expect(proxies.proxy(forScheme: "http") == "a:1")
        #expect(proxies.proxy(forScheme: "https") == "b:2")
        #expect(ProxyEnvironment(http: "").proxy(forScheme: "http") == nil)
    }

    @Test func `a proxy of an unknown scheme is refused when it is handed over, and its password not repeated`() throws
    {
        let url = try RequestURL("http://example.com/")
        var spec = TransferSpec(direction: .download(.init(path: "/f")), url: url, owner: "command")
        spec.proxy = .init(http: "ftp://user:secret@proxy.example:21")
        let error = #expect(throws: RequestError.self) { try spec.validate() }
        #expect(error?.sentence.contains("for http must be") == true)
        #expect(error?.sentence.contains("secret") == false)
        spec.proxy = .init(http: "", https: "proxy.example:3128", none: "*")
        #expect(throws: Never.self) { try spec.validate() }
    }
}
