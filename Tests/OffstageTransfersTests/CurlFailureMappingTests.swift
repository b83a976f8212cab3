// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageTransfers
import Testing

struct CurlFailureMappingTests {
    typealias Situation = CurlFailureMapping.Situation

    /// Every code of libcurl 7.88 that is not an `internalError`, if nothing else is known.
    static let meanings: [Int: TransferFailure.Code] = {
        let codes: [TransferFailure.Code: [Int]] = [
            .badServerResponse: [1, 3, 8, 22, 33, 36, 43, 61, 63, 88],
            .proxyFailed: [5, 97],
            .cannotFindHost: [6],
            .cannotConnect: [7, 45],
            .unauthorized: [9, 67, 94],
            .connectionLost: [16, 18, 52, 55, 56, 65, 80, 81, 89, 92, 95, 96, 99],
            .targetNotWritable: [23],
            .sourceUnreadable: [26],
            .idleTimeout: [28],
            .secureConnectionFailed: [35, 53, 54, 64, 66],
            .tooManyRedirects: [47],
            .certificateRejected: [51, 58, 59, 60, 82, 83, 90, 91, 98],
            .certificateFileUnreadable: [77],
        ]
        return codes.reduce(into: [:]) { table, entry in
            for code in entry.value { table[code] = entry.key }
        }
    }()

    @Test(arguments: 0...100)
    func `every code of libcurl has a meaning`(code: Int) {
        let failure = CurlFailureMapping.failure(code: code, Situation(server: "example.com:443"))
        #expect(failure.code == Self.meanings[code] ?? .internalError)
        #expect(!failure.detail.isEmpty)
        #expect(failure.detail.last != ".")
    }

    @Test(arguments: 0...100)
    func `no detail lets a secret out of libcurl's own text`(code: Int) {
        let text = "failed for http://user:hunter2@example.com/path?signature=abc#frag"
        let failure = CurlFailureMapping.failure(code: code, Situation(server: "example.com:80", libraryText: text))
        for secret in ["hunter2", "signature", "user:"] {
            #expect(!failure.detail.contains(secret))
        }
    }

    @Test(arguments: [
        "OpenSSL SSL_connect: Connection reset by peer in connection to localhost:1",
        "OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to localhost:1",
        "error:0A000126:SSL routines::unexpected eof while reading",
    ])
    func `a server that hangs up during the handshake may be back in a moment`(text: String) {
        let failure = CurlFailureMapping.failure(code: 35, Situation(server: "localhost:1", libraryText: text))
        #expect(failure.code == .connectionLost)
    }

    @Test func `a reset during the handshake is known by the system's error as well`() {
        let failure = CurlFailureMapping.failure(code: 35, Situation(server: "localhost:1", systemError: ECONNRESET))
        #expect(failure.code == .connectionLost)
    }

    @Test(arguments: [("", false), ("wrong version number", false), ("unexpected eof while reading", true)])
    func `a handshake with a proxy that fails is the proxy's`(text: String, mayPass: Bool) {
        let proxy = ProxyAddress("https://127.0.0.1:8015")
        var situation = Situation(server: "files.example:80", libraryText: text, proxy: proxy)
        let failure = CurlFailureMapping.failure(code: 35, situation)
        #expect(failure.code == (mayPass ? .proxyFailed : .secureConnectionFailed))
        #expect(failure.detail.contains("the proxy 127.0.0.1:8015") && !failure.detail.contains("files.example"))
        #expect(CurlFailureMapping.failure(code: 60, situation).detail.contains("of the proxy 127.0.0.1:8015"))
        situation.proxyStatus = 200
        #expect(CurlFailureMapping.failure(code: 35, situation).detail.contains("files.example:80"), "the tunnel stood")
        situation.proxy = ProxyAddress("http://127.0.0.1:8015")
        situation.proxyStatus = 0
        #expect(CurlFailureMapping.failure(code: 35, situation).detail.contains("files.example:80"))
    }

    @Test func `a server that hangs up at the handshake may speak no TLS`() {
        let situation = Situation(server: "localhost:1", systemError: ECONNRESET)
        #expect(CurlFailureMapping.failure(code: 35, situation).detail.contains("does not speak TLS"))
    }

    @Test func `a name that nobody knows is named without the port`() {
        for (server, name) in [("no-such-host.invalid:80", "no-such-host.invalid"), ("[::1]:80", "::1")] {
            let failure = CurlFailureMapping.failure(code: 6, Situation(server: server))
            #expect(failure.detail == "no address is known for \(name)")
        }
    }

    @Test func `silence behind a proxy names it`() {
        let proxy = ProxyAddress("socks5h://127.0.0.1:8015")
        for isConnected in [true, false] {
            let situation = Situation(server: "h:80", isConnected: isConnected, proxy: proxy)
            let detail = CurlFailureMapping.failure(code: 28, situation).detail
            #expect(detail.hasSuffix(" through the proxy 127.0.0.1:8015"), "\(detail)")
        }
    }

    @Test func `a server without TLS stays a failed secure connection`() {
        let text = "error:0A00010B:SSL routines::wrong version number"
        let failure = CurlFailureMapping.failure(code: 35, Situation(server: "localhost:1", libraryText: text))
        #expect(failure.code == .secureConnectionFailed)
        #expect(failure.detail.contains("wrong version number"))
    }

    @Test func `the code for an unsupported protocol after a redirect means that the redirect was refused`() {
        let failure = CurlFailureMapping.failure(code: 1, Situation(server: "localhost:1", lastStatus: 302))
        #expect(failure.code == .redirectRefused)
    }

    @Test func `a timeout says whether there was a connection`() {
        let before = CurlFailureMapping.failure(
            code: 28,
            Situation(server: "localhost:1", isConnected: false, connectTimeout: 5)
        )
        #expect(before.detail == "no connection to localhost:1 within 5 s")
        let after = CurlFailureMapping.failure(code: 28, Situation(server: "localhost:1", progress: "after 3 bytes"))
        #expect(after.detail == "the connection to localhost:1 went silent after 3 bytes")
    }

    @Test func `running out of memory while a head is read means a header line without end`() {
        let failure = CurlFailureMapping.failure(code: 27, Situation(server: "localhost:1", isReadingHead: true))
        #expect(failure.code == .badServerResponse)
    }

    @Test func `a connection error names the reason the kernel gave`() {
        let failure = CurlFailureMapping.failure(code: 7, Situation(server: "localhost:1", systemError: ECONNREFUSED))
        #expect(failure.detail == "cannot connect to localhost:1: Connection refused")
    }

    /// GOT_NOTHING, PARTIAL_FILE and HTTP2_STREAM do not come from a system call.
    @Test(arguments: [(52, ECONNRESET), (18, ECONNREFUSED), (92, ECONNREFUSED), (56, ECONNREFUSED), (55, ENETUNREACH)])
    func `an error that the kernel reported for another connection is no reason`(code: Int, error: Int32) {
        let situation = Situation(server: "localhost:1", systemError: error)
        let detail = CurlFailureMapping.failure(code: code, situation).detail
        #expect(detail == "the connection to localhost:1 broke before the answer arrived")
        let own = CurlFailureMapping.failure(code: 56, Situation(server: "localhost:1", systemError: ECONNRESET))
        #expect(own.detail.hasSuffix(": Connection reset by peer"))
    }

    @Test func `an address that cannot be reached does not explain a handshake with another`() {
        let text = "error:0A00010B:SSL routines::wrong version number"
        let situation = Situation(server: "localhost:1", libraryText: text, systemError: ENETUNREACH)
        #expect(CurlFailureMapping.failure(code: 35, situation).code == .secureConnectionFailed)
        let lost = "OpenSSL SSL_connect: No route to host in connection to localhost:1"
        let failure = CurlFailureMapping.failure(code: 35, Situation(server: "localhost:1", libraryText: lost))
        #expect(failure.code == .connectionLost)
    }

    @Test func `a certificate file is named when it is the owner's`() {
        let own = CurlFailureMapping.failure(code: 77, Situation(server: "localhost:1", certificateFile: "/a/ca.pem"))
        #expect(own.detail.contains("/a/ca.pem"))
        let system = CurlFailureMapping.failure(code: 77, Situation(server: "localhost:1"))
        #expect(system.detail.contains("the system's certificate store"))
    }
}
