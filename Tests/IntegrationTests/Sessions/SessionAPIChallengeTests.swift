// SPDX-License-Identifier: Apache-2.0
import Offstage
import OffstageTestSupport
import Testing

@Suite struct `Challenges to a background session` {
    @Test func `a certificate that nobody vouches for is shown to the delegate`() throws {
        let directory = try TemporaryDirectory()
        let server = try NginxServer(.init(certificate: try TestCertificate(in: directory.path)))
        defer { server.kill() }
        try TestFiles.write("secret", to: server.path("file"))
        let delegate = RecordingDelegate(challenged: { challenge in
            guard let trust = challenge.protectionSpace.serverTrust else { return (.performDefaultHandling, nil) }
            return (.useCredential, URLCredential(trust: trust))
        })
        let session = SessionHome.session(delegate)
        defer { session.invalidateAndCancel() }
        let task = session.downloadTask(with: try SessionHome.url(server.url("file")))
        task.resume()
        #expect(try delegate.waitForEnd(of: task) == nil)
        #expect(delegate.file(of: task) == Array("secret".utf8))
        let asked = delegate.calls.filter { $0.name == "challenge" }
        #expect(asked.map(\.text) == [NSURLAuthenticationMethodServerTrust])
        #expect(asked.map(\.task) == [nil], "it is asked of the session")

        let doubtful = RecordingDelegate()
        let other = SessionHome.session(doubtful)
        defer { other.invalidateAndCancel() }
        let refused = other.downloadTask(with: try SessionHome.url(server.url("file")))
        refused.resume()
        let error = try #require(try doubtful.waitForEnd(of: refused))
        #expect(error.domain == NSURLErrorDomain)
        #expect((-1206 ... -1200).contains(error.code), "\(error)")
    }

    @Test func `a name and password are asked of the task's delegate`() throws {
        let server = try NginxServer(.init(login: "me:geheim"))
        defer { server.kill() }
        try TestFiles.write("secret", to: server.path("file"))
        let delegate = RecordingDelegate(challenged: { challenge in
            let space = challenge.protectionSpace
            guard space.realm == "test", space.host == "127.0.0.1" else { return (.performDefaultHandling, nil) }
            let password = challenge.previousFailureCount == 0 ? "falsch" : "geheim"
            return (.useCredential, URLCredential(user: "me", password: password, persistence: .none))
        })
        let session = SessionHome.session(delegate)
        defer { session.invalidateAndCancel() }
        let task = session.downloadTask(with: try SessionHome.url(server.url("file")))
        task.resume()
        #expect(try delegate.waitForEnd(of: task) == nil)
        #expect((task.response as? HTTPURLResponse)?.statusCode == 200)
        #expect(delegate.file(of: task) == Array("secret".utf8))
        let asked = delegate.calls("challenge", of: task)
        #expect(asked.map(\.text) == [NSURLAuthenticationMethodHTTPBasic, NSURLAuthenticationMethodHTTPBasic])
        #expect(asked.map(\.numbers) == [[0], [1]])
    }

    @Test func `a challenge that is cancelled ends the task`() throws {
        let server = try NginxServer(.init(login: "me:geheim"))
        defer { server.kill() }
        try TestFiles.write("secret", to: server.path("file"))
        let delegate = RecordingDelegate(challenged: { _ in (.cancelAuthenticationChallenge, nil) })
        let session = SessionHome.session(delegate)
        defer { session.invalidateAndCancel() }
        let task = session.downloadTask(with: try SessionHome.url(server.url("file")))
        task.resume()
        #expect(try delegate.waitForEnd(of: task)?.code == NSURLErrorCancelled)

        let plain = RecordingDelegate()
        let other = SessionHome.session(plain)
        defer { other.invalidateAndCancel() }
        let refused = other.downloadTask(with: try SessionHome.url(server.url("file")))
        refused.resume()
        #expect(try plain.waitForEnd(of: refused) == nil, "handled by default, a 401 is an answer")
        #expect((refused.response as? HTTPURLResponse)?.statusCode == 401)
    }
}
