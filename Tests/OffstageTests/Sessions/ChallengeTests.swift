// SPDX-License-Identifier: Apache-2.0
import Offstage
import OffstageTestSupport
import Testing

@Suite struct ChallengeTests {
    @Test func `a name and password settle a 401`() throws {
        let fixture = try SessionFixture()
        let nginx = try NginxServer(.init(login: "anna:secret"))
        try TestFiles.write("private", to: nginx.path("private"))
        let delegate = RecordingDelegate(credential: { _ in
            URLCredential(user: "anna", password: "secret", persistence: .forSession)
        })
        let session = try fixture.session(delegate: delegate)
        let task = session.downloadTask(with: try #require(URL(string: nginx.url("private"))))
        task.taskDescription = fixture.daemon.path("private")
        task.resume()
        try delegate.line("completed 1 nil 200")
        try delegate.line("task challenge NSURLAuthenticationMethodHTTPBasic 0")
        #expect(try TestFiles.text(fixture.daemon.path("private")) == "private")
        session.invalidateAndCancel()
        try delegate.line("invalid nil")
    }

    @Test func `without a credential the 401 is the answer`() throws {
        let fixture = try SessionFixture()
        let nginx = try NginxServer(.init(login: "anna:secret"))
        let delegate = RecordingDelegate()
        let session = try fixture.session(delegate: delegate)
        session.downloadTask(with: try #require(URL(string: nginx.url("private")))).resume()
        try delegate.line("completed 1 nil 401")
        session.invalidateAndCancel()
        try delegate.line("invalid nil")
    }

    @Test func `a certificate that the system does not trust can be trusted by its key`() throws {
        let fixture = try SessionFixture()
        let directory = try TemporaryDirectory()
        let nginx = try NginxServer(.init(certificate: try TestCertificate(in: directory.path)))
        try TestFiles.write("secret", to: nginx.path("a"))
        let delegate = RecordingDelegate(credential: { challenge in
            challenge.protectionSpace.serverTrust.map { URLCredential(trust: $0) }
        })
        let session = try fixture.session(delegate: delegate)
        let task = session.downloadTask(with: try #require(URL(string: nginx.url("a"))))
        task.taskDescription = fixture.daemon.path("a")
        task.resume()
        try delegate.line("completed 1 nil 200")
        try delegate.line("session challenge NSURLAuthenticationMethodServerTrust 0")
        #expect(try TestFiles.text(fixture.daemon.path("a")) == "secret")
        session.invalidateAndCancel()
        try delegate.line("invalid nil")
    }

    @Test func `a certificate that nobody trusts ends the task with -1202`() throws {
        let fixture = try SessionFixture()
        let directory = try TemporaryDirectory()
        let nginx = try NginxServer(.init(certificate: try TestCertificate(in: directory.path)))
        let delegate = RecordingDelegate()
        let session = try fixture.session(delegate: delegate)
        session.downloadTask(with: try #require(URL(string: nginx.url("a")))).resume()
        try delegate.line("completed 1 -1202 none")
        session.invalidateAndCancel()
        try delegate.line("invalid nil")
    }
}
