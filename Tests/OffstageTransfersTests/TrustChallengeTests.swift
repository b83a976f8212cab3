// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// Certificates that are not accepted, where an app decides about trust.
struct TrustChallengeTests {
    let harness: EngineHarness
    let certificate: TestCertificate
    let nginx: NginxServer

    init() throws {
        harness = try EngineHarness()
        certificate = try TestCertificate(in: harness.directory.path)
        let chain = try TestFiles.read(certificate.certificate) + TestFiles.read(certificate.authority)
        try TestFiles.write(chain, to: certificate.certificate)
        nginx = try NginxServer(.init(certificate: certificate))
        try TestFiles.makeRandom(nginx.path("file"), bytes: 100_000, seed: 1)
    }

    private func download(
        _ url: String,
        _ change: (inout EngineRequest) -> Void = { _ in }
    ) throws -> EngineRun.End {
        let run = try harness.download(url) {
            EngineHarness.ofSession(&$0)
            change(&$0)
        }
        return try run.end()
    }

    private func shell(_ script: String) throws -> String {
        let result = try ChildProcess.run("/bin/sh", ["-c", script])
        guard result.isSuccess else { throw TestError("\(script) failed: \(result.errors)") }
        return result.output.split(separator: "\n").joined()
    }

    /// A certificate's key as curl pins it.
    private func key(of certificate: TestCertificate) throws -> String {
        let hash = try shell(
            "openssl x509 -in \(certificate.certificate) -pubkey -noout | openssl pkey -pubin -outform der"
                + " | openssl dgst -sha256 -binary | base64"
        )
        return "sha256//\(hash)"
    }

    private func der(_ path: String) throws -> Base64Bytes {
        let text = try shell("openssl x509 -in \(path) -outform der | base64")
        return Base64Bytes(bytes: Array(try #require(Data(base64Encoded: text))))
    }

    @Test func `the app is asked with the whole chain, and the server has not been asked for anything`() throws {
        let challenge = try #require(try download(nginx.url("file")).challenge)
        let expected = [try der(certificate.certificate), try der(certificate.authority)]
        #expect(challenge.method == .serverTrust(certificates: expected))
        #expect(challenge.host == "localhost")
        #expect(challenge.port == Int(nginx.port))
        #expect(challenge.isSecure)
        #expect(challenge.realm == nil)
        #expect(try nginx.entries().isEmpty)
    }

    @Test func `an upload asks before a byte has gone`() throws {
        let path = try harness.makeFile("source", bytes: 100_000)
        let run = try harness.upload(path, to: nginx.url("target"), EngineHarness.ofSession)
        let end = try run.end()
        #expect(end.challenge != nil)
        #expect(end.reached == 0)
        #expect(try nginx.entries().isEmpty)
    }

    @Test func `a certificate for another name is asked about as well`() throws {
        let end = try download("https://other.localhost:\(nginx.port)/file") {
            $0.spec.certificateAuthorityPath = certificate.authority
        }
        #expect(end.challenge?.host == "other.localhost")
    }

    @Test func `an accepted certificate is nobody's question`() throws {
        let end = try download(nginx.url("file")) { $0.spec.certificateAuthorityPath = certificate.authority }
        #expect(end.answer?.status == 200)
    }

    @Test func `an app that leaves it to the default gets the failure`() throws {
        let end = try download(nginx.url("file")) { $0.spec.handlesChallengesByDefault = true }
        #expect(end.failure?.code == .certificateRejected)
    }

    @Test(arguments: ["localhost", "other.localhost"])
    func `a pinned key is good enough`(host: String) throws {
        let key = try key(of: certificate)
        let end = try download("https://\(host):\(nginx.port)/file") { $0.spec.pinnedKey = key }
        #expect(end.answer?.status == 200)
        #expect(end.answer?.httpVersion == "2")
    }

    @Test func `another key than the pinned one is not, whatever the certificate says`() throws {
        let other = try TestCertificate(in: harness.directory.path, name: "other")
        let key = try key(of: other)
        let end = try download(nginx.url("file")) {
            $0.spec.pinnedKey = key
            $0.spec.certificateAuthorityPath = certificate.authority
        }
        #expect(end.failure?.code == .certificateRejected)
        #expect(end.failure?.detail == "the key of localhost:\(nginx.port) is not the one that was trusted")
        #expect(try nginx.entries().isEmpty)
    }

    @Test func `a pinned key that is a path is not read`() throws {
        let end = try download(nginx.url("file")) { $0.spec.pinnedKey = certificate.certificate }
        #expect(end.failure?.code == .certificateRejected)
    }

    @Test func `trust is for the transfer that got it, not for the next on the same connection`() throws {
        let key = try key(of: certificate)
        #expect(try download(nginx.url("file")) { $0.spec.pinnedKey = key }.answer?.status == 200)
        #expect(try download(nginx.url("file")).challenge != nil)
        #expect(try harness.download(nginx.url("file")).end().failure?.code == .certificateRejected)
        #expect(try nginx.entries().count == 1)
    }

    @Test func `connections outlive the attempts that watched them`() throws {
        for _ in 0..<3 {
            let end = try download(nginx.url("file")) { $0.spec.certificateAuthorityPath = certificate.authority }
            #expect(end.answer?.status == 200)
            #expect(try download("https://127.0.0.1:\(nginx.port)/file").challenge != nil)
        }
        #expect(Set(try nginx.waitForEntries("/file", count: 3).map(\.connection)).count == 1)
    }

    // Redirects.

    private func redirecting(to target: String) throws -> NginxServer {
        try NginxServer(.init(certificate: certificate, extra: "location /here { return 302 \(target); }"))
    }

    @Test func `trust in one server is no trust in another`() throws {
        let key = try key(of: certificate)
        let other = try TestCertificate(in: harness.directory.path, name: "other")
        let stranger = try NginxServer(.init(certificate: other))
        let first = try redirecting(to: stranger.url("file"))
        let end = try download(first.url("here")) { $0.spec.pinnedKey = key }
        #expect(end.failure?.code == .certificateRejected)
        #expect(end.failure?.detail.contains("localhost:\(stranger.port)") == true)
        #expect(try stranger.entries().isEmpty)
    }

    @Test func `the other server needs a certificate and not the key`() throws {
        let other = try TestCertificate(in: harness.directory.path, name: "other")
        let first = try NginxServer(
            .init(certificate: other, extra: "location /here { return 302 \(nginx.url("file")); }")
        )
        let key = try key(of: other)
        let end = try download(first.url("here")) {
            $0.spec.pinnedKey = key
            $0.spec.certificateAuthorityPath = certificate.authority
        }
        #expect(end.answer?.status == 200)
        #expect(end.answer?.finalURL == nginx.url("file"))
    }

    @Test func `nobody is asked about a server that a redirect leads to`() throws {
        let other = try TestCertificate(in: harness.directory.path, name: "other")
        let stranger = try NginxServer(.init(certificate: other))
        let first = try redirecting(to: stranger.url("file"))
        let end = try download(first.url("here")) { $0.spec.certificateAuthorityPath = certificate.authority }
        #expect(end.failure?.code == .certificateRejected)
    }
}
