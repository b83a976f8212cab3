// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// TLS: trust, HTTP/2, and faulty servers.
struct SecureConnectionTests {
    let harness: EngineHarness
    let certificate: TestCertificate

    init() throws {
        harness = try EngineHarness()
        certificate = try TestCertificate(in: harness.directory.path)
    }

    @Test func `a file comes over HTTP/2 when the authority is trusted`() throws {
        let nginx = try NginxServer(.init(certificate: certificate))
        try TestFiles.makeRandom(nginx.path("file"), bytes: 3_000_000, seed: 1)
        let run = try harness.download(nginx.url("file")) {
            $0.spec.certificateAuthorityPath = certificate.authority
            $0.usesLargeBuffers = true
        }
        let end = try run.end()
        #expect(end.answer?.httpVersion == "2")
        #expect(end.answer?.status == 200)
        #expect(try run.content() == TestFiles.read(nginx.path("file")))
    }

    @Test func `authorities in a pipe or a device hold nobody up`() throws {
        let nginx = try NginxServer(.init(certificate: certificate))
        try TestFiles.makeRandom(nginx.path("file"), bytes: 1000, seed: 1)
        let pipe = harness.directory.path("pipe.pem")
        #expect(mkfifo(pipe, 0o600) == 0)
        for path in [pipe, "/dev/zero"] {
            let refused = try harness.download(nginx.url("file")) { $0.spec.certificateAuthorityPath = path }
            let free = try harness.download(nginx.url("file")) {
                $0.spec.certificateAuthorityPath = certificate.authority
            }
            #expect(try free.end().reached == 1000)
            #expect(try refused.end().failure?.code == .certificateFileUnreadable)
        }
    }

    /// libcurl treats a stream that was reset without an error as complete.
    @Test(arguments: [false, true]) func `a file without a length comes over HTTP/1.1 where that is spoken`(
        isRefused: Bool
    ) throws {
        // nginx states no length for content that a filter may change.
        let refusal = isRefused ? "if ($server_protocol = HTTP/1.1) { return 426; }" : ""
        let nginx = try NginxServer(.init(certificate: certificate, extra: "ssi on; ssi_types *; \(refusal)"))
        try TestFiles.makeRandom(nginx.path("file"), bytes: 300_000, seed: 1)
        let run = try harness.download(nginx.url("file")) {
            $0.spec.certificateAuthorityPath = certificate.authority
        }
        let end = try run.end()
        #expect(end.answer?.status == 200)
        #expect(end.answer?.httpVersion == (isRefused ? "2" : "1.1"))
        #expect(try run.content() == TestFiles.read(nginx.path("file")))
        let entries = try nginx.waitForEntries("/file", count: isRefused ? 3 : 2)
        let versions = ["HTTP/2.0", "HTTP/1.1"] + (isRefused ? ["HTTP/2.0"] : [])
        #expect(entries.map(\.version).sorted() == versions.sorted())
    }

    @Test func `a reset of one connection says nothing of the next`() throws {
        let server = try FaultServer()
        server.script("/file", FaultAnswer { $0.reset() })
        #expect(try harness.download(server.url("/file")).end().failure?.code == .connectionLost)
        server.onAccept(.garbage)
        let failure = try harness.download("https://127.0.0.1:\(server.port)/file").end().failure
        #expect(failure?.code == .secureConnectionFailed, "\(String(describing: failure))")
    }

    @Test(arguments: [nil, 60_000_000] as [Int64?])
    func `a long file over HTTP/2 stays whole through pauses`(limit: Int64?) throws {
        let nginx = try NginxServer(.init(certificate: certificate))
        try EngineHarness.makeLongFile(nginx.path("file"), bytes: 80_000_000)
        let run = try harness.download(nginx.url("file")) {
            $0.spec.certificateAuthorityPath = certificate.authority
            $0.usesLargeBuffers = true
            $0.rateLimit = limit
        }
        #expect(try run.end(within: 60).reached == 80_000_000)
        #expect(try FileHasher.sha256(of: run.request.fileDescriptor) == TestFiles.sha256(nginx.path("file")))
    }

    @Test func `a limit holds over HTTP/2 as well, and for the one attempt alone`() throws {
        let nginx = try NginxServer(.init(certificate: certificate))
        try TestFiles.makeRandom(nginx.path("file"), bytes: 2_000_000, seed: 1)
        let begun = TimeLimit.now
        let limited = try harness.download(nginx.url("file")) {
            $0.spec.certificateAuthorityPath = certificate.authority
            $0.rateLimit = 1_500_000
        }
        try limited.waitForProgress(beyond: 0)
        let free = try harness.download(nginx.url("file")) {
            $0.spec.certificateAuthorityPath = certificate.authority
        }
        #expect(try free.end().reached == 2_000_000)
        #expect(limited.events.allSatisfy { if case .ended = $0 { false } else { true } })
        #expect(try limited.end().reached == 2_000_000)
        #expect(TimeLimit.now - begun > 1.1)
    }

    @Test func `a hard limit holds nobody else up on the same connection`() throws {
        let nginx = try NginxServer(.init(certificate: certificate))
        try TestFiles.makeRandom(nginx.path("file"), bytes: 2_000_000, seed: 1)
        let limited = try harness.download(nginx.url("file")) {
            $0.spec.certificateAuthorityPath = certificate.authority
            $0.rateLimit = 5000
        }
        try limited.waitForProgress(beyond: 0)
        for _ in 0..<5 {
            let free = try harness.download(nginx.url("file")) {
                $0.spec.certificateAuthorityPath = certificate.authority
            }
            #expect(try free.end(within: 5).reached == 2_000_000)
        }
        limited.stop()
        try limited.waitForRelease()
        let entries = try nginx.waitForEntries("/file", count: 6)
        #expect(Set(entries.map(\.connection)).count == 1)
    }

    @Test func `a file goes up over HTTP/2`() throws {
        let nginx = try NginxServer(.init(certificate: certificate))
        let path = try harness.makeFile("source", bytes: 3_000_000)
        let run = try harness.upload(path, to: nginx.url("target")) {
            $0.spec.certificateAuthorityPath = certificate.authority
        }
        let end = try run.end()
        #expect(end.answer?.status == 201)
        #expect(end.reached == 3_000_000)
        #expect(try TestFiles.read(nginx.path("target")) == TestFiles.read(path))
    }

    @Test func `a rest is asked for over HTTP/2`() throws {
        let nginx = try NginxServer(.init(certificate: certificate))
        try TestFiles.makeRandom(nginx.path("file"), bytes: 300_000, seed: 1)
        let trust = { (request: inout EngineRequest) in
            request.spec.certificateAuthorityPath = certificate.authority
        }
        let tag = try #require(try harness.download(nginx.url("file"), trust).end().answer?.headers["ETag"])
        let bytes = try TestFiles.read(nginx.path("file"))
        let known = PartialDownload(validator: .strongETag(tag), totalBytes: 300_000, bootID: "boot")
        let run = try harness.download(nginx.url("file"), partial: (bytes[..<100_000], known), trust)
        #expect(try run.end().answer?.status == 206)
        #expect(try run.content() == bytes)
    }

    @Test func `an authority that nobody trusts is rejected`() throws {
        let nginx = try NginxServer(.init(certificate: certificate))
        let failure = try harness.download(nginx.url("file")).end().failure
        #expect(failure?.code == .certificateRejected)
        #expect(failure?.detail.contains("localhost:\(nginx.port)") == true)
    }

    @Test func `the wrong authority is rejected`() throws {
        let nginx = try NginxServer(.init(certificate: certificate))
        let other = try TestCertificate(in: harness.directory.path, name: "other")
        let run = try harness.download(nginx.url("file")) { $0.spec.certificateAuthorityPath = other.authority }
        #expect(try run.end().failure?.code == .certificateRejected)
    }

    @Test func `an authority that cannot be read is named`() throws {
        let path = harness.directory.path("missing.pem")
        let run = try harness.download("https://localhost:1/file") { $0.spec.certificateAuthorityPath = path }
        let failure = try run.end().failure
        #expect(failure?.code == .certificateFileUnreadable)
        #expect(failure?.detail.contains(path) == true)
    }

    @Test func `an authority that is no certificate is named`() throws {
        let nginx = try NginxServer(.init(certificate: certificate))
        let path = try harness.makeFile("noise.pem", bytes: 1000)
        let run = try harness.download(nginx.url("file")) { $0.spec.certificateAuthorityPath = path }
        let failure = try run.end().failure
        #expect(failure?.code == .certificateFileUnreadable)
        #expect(failure?.detail.contains(path) == true)
    }

    @Test func `a server without TLS has no secure connection to offer`() throws {
        let server = try FaultServer()
        server.onAccept(.garbage)
        let failure = try harness.download("https://127.0.0.1:\(server.port)/file").end().failure
        #expect(failure?.code == .secureConnectionFailed)
    }

    @Test func `a server that hangs up during the handshake may be back in a moment`() throws {
        let server = try FaultServer()
        server.onAccept(.close)
        let failure = try harness.download("https://127.0.0.1:\(server.port)/file").end().failure
        #expect(failure?.code == .connectionLost)
    }

    @Test func `a handshake that falls silent is given up`() throws {
        let server = try FaultServer()
        server.onAccept(.stall)
        let run = try harness.download("https://127.0.0.1:\(server.port)/file") { $0.spec.connectTimeout = 0.4 }
        #expect(try run.end().failure?.code == .idleTimeout)
    }
}
