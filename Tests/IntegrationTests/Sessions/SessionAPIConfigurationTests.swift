// SPDX-License-Identifier: Apache-2.0
import Offstage
import OffstageTestSupport
import Testing

@Suite struct `The configuration of a background session` {
    private let server: FaultServer

    init() throws {
        server = try FaultServer()
        server.script("/", .status(200, body: "hello"))
    }

    @Test func `a background configuration is honoured as it was when the session was made`() throws {
        let configuration = SessionHome.configuration()
        let identifier = try #require(configuration.identifier)
        let others = URLSessionConfiguration.background(withIdentifier: "another")
        #expect(others.identifier == "another")
        configuration.timeoutIntervalForResource = 100
        configuration.isDiscretionary = true
        configuration.sessionSendsLaunchEvents = false
        configuration.sharedContainerIdentifier = "group.example"
        configuration.waitsForConnectivity = true
        configuration.allowsExpensiveNetworkAccess = false
        configuration.allowsConstrainedNetworkAccess = false
        let delegate = RecordingDelegate()
        let queue = OperationQueue()
        let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
        defer { session.invalidateAndCancel() }
        configuration.timeoutIntervalForResource = 5
        #expect(session.configuration.identifier == identifier)
        #expect(session.configuration.timeoutIntervalForResource == 100)
        #expect(session.configuration.isDiscretionary)
        #expect(!session.configuration.sessionSendsLaunchEvents)
        #expect(session.configuration.sharedContainerIdentifier == "group.example")
        #expect(session.configuration.waitsForConnectivity)
        #expect(!session.configuration.allowsExpensiveNetworkAccess)
        #expect(!session.configuration.allowsConstrainedNetworkAccess)
        #expect(session.delegate === delegate)
        #expect(session.delegateQueue === queue)
        session.sessionDescription = "photos"
        #expect(session.sessionDescription == "photos")
    }

    @Test func `a foreground configuration gives Foundation's own session`() async throws {
        for configuration in [URLSessionConfiguration.default, .ephemeral] {
            let session = URLSession(configuration: configuration, delegate: nil, delegateQueue: nil)
            let (data, response) = try await session.data(from: SessionHome.url(server.url("/")))
            #expect(String(decoding: data, as: UTF8.self) == "hello")
            #expect((response as? HTTPURLResponse)?.statusCode == 200)
            #expect(session.configuration.identifier == nil)
            #expect(type(of: session) == URLSession.self)
            session.invalidateAndCancel()
        }
        let (data, _) = try await URLSession.shared.data(for: SessionHome.request(server.url("/")))
        #expect(data.count == 5)
    }

    @Test func `a session made by the initializer itself fails its tasks in plain words`() async throws {
        let session = URLSession.init(configuration: SessionHome.configuration())
        let error = await #expect(throws: (any Error).self) {
            _ = try await session.data(from: SessionHome.url(server.url("/")))
        }
        let sentence = error?.localizedDescription ?? ""
        #expect(sentence.contains("URLSession(configuration:delegate:delegateQueue:)"))
        #expect(server.requests.isEmpty)
        let written = URLSession(configuration: SessionHome.configuration())
        defer { written.invalidateAndCancel() }
        #expect(written.configuration.identifier != nil)
        let (file, _) = try await written.download(from: SessionHome.url(server.url("/")))
        #expect(try TestFiles.text(file.path) == "hello")
    }

    @Test func `the proxy of the configuration is used`() throws {
        server.script("http://files.example/file", .status(200, body: "by proxy"))
        let delegate = RecordingDelegate()
        let session = SessionHome.session(delegate) {
            $0.connectionProxyDictionary = [
                "HTTPEnable": 1, "HTTPProxy": "127.0.0.1", "HTTPPort": Int(server.port),
            ]
        }
        defer { session.invalidateAndCancel() }
        let task = session.downloadTask(with: try SessionHome.url("http://files.example/file"))
        task.resume()
        #expect(try delegate.waitForEnd(of: task) == nil)
        #expect(delegate.file(of: task) == Array("by proxy".utf8))
    }

    @Test func `headers of the configuration are sent where the request has none`() throws {
        let delegate = RecordingDelegate()
        let session = SessionHome.session(delegate) {
            $0.httpAdditionalHeaders = ["X-Everywhere": "configuration", "X-Both": "configuration"]
        }
        defer { session.invalidateAndCancel() }
        var request = try SessionHome.request(server.url("/"))
        request.setValue("request", forHTTPHeaderField: "X-Both")
        let task = session.downloadTask(with: request)
        task.resume()
        #expect(try delegate.waitForEnd(of: task) == nil)
        let headers = try #require(server.requests.first?.headers)
        #expect(headers["X-Everywhere"] == "configuration")
        #expect(headers["X-Both"] == "request")
    }

    @Test func `a server that says nothing is asked again after the request timeout`() throws {
        server.script("/slow", .stalls, .status(200, body: "at last"))
        let delegate = RecordingDelegate()
        let session = SessionHome.session(delegate) { $0.timeoutIntervalForRequest = 1 }
        defer { session.invalidateAndCancel() }
        let task = session.downloadTask(with: try SessionHome.url(server.url("/slow")))
        task.resume()
        #expect(try delegate.waitForEnd(of: task) == nil)
        #expect(delegate.file(of: task) == Array("at last".utf8))
        #expect(server.requests("/slow").count == 2)
    }

    @Test func `a task ends with a timeout once the resource timeout has passed`() throws {
        server.script("/never", .stalls)
        let delegate = RecordingDelegate()
        let session = SessionHome.session(delegate) { $0.timeoutIntervalForResource = 1 }
        defer { session.invalidateAndCancel() }
        let task = session.downloadTask(with: try SessionHome.url(server.url("/never")))
        task.resume()
        let error = try #require(try delegate.waitForEnd(of: task))
        #expect(error.domain == NSURLErrorDomain)
        #expect(error.code == NSURLErrorTimedOut)
        #expect((task.error as? URLError)?.code == .timedOut)
    }

    @Test func `no more tasks talk to a host at once than the configuration allows`() throws {
        let gate = FaultGate()
        server.script("/held", .held(gate, then: .status(200)))
        let delegate = RecordingDelegate()
        let session = SessionHome.session(delegate) { $0.httpMaximumConnectionsPerHost = 2 }
        defer { session.invalidateAndCancel() }
        let tasks = try (0..<6).map { _ in session.downloadTask(with: try SessionHome.url(server.url("/held"))) }
        for task in tasks { task.resume() }
        try server.waitForActive(2)
        gate.open()
        for task in tasks { #expect(try delegate.waitForEnd(of: task) == nil) }
        #expect(server.mostActive == 2)
    }
}
