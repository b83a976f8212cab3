// SPDX-License-Identifier: Apache-2.0
import Glibc
import Offstage
import OffstageTestSupport

/// Its own daemon, and sessions of this process that use it.
final class SessionFixture {
    let daemon: DaemonFixture
    let server: FaultServer
    private let process: ChildProcess

    init(settings: String = #"{"retryBaseDelay": 0.1, "retryMaximumDelay": 1}"#) throws {
        daemon = try DaemonFixture(settings: settings)
        server = try FaultServer()
        process = try daemon.startDaemon()
    }

    /// The environment for a session to find the daemon; with `restarts`, it may start another when this one has died.
    func environment(restarts: Bool = false) throws -> [String: String] {
        // A link that is removed with the test: a session that briefly outlives the test cannot start a daemon.
        let program = daemon.path("offstaged")
        if restarts, access(program, F_OK) != 0 { symlink(try BuiltProducts.path("offstaged"), program) }
        return ["OFFSTAGE_HOME": daemon.home, "OFFSTAGED": restarts ? program : "/nonexistent"]
    }

    /// A background session of this fixture's daemon.
    func session(
        _ identifier: String = "org.example.session",
        delegate: (any FoundationNetworking.URLSessionDelegate)?,
        queue: OperationQueue? = nil,
        restarts: Bool = false,
        isSupervised: Bool = false,
        configure: (URLSessionConfiguration) -> Void = { _ in }
    ) throws -> URLSession {
        try waitForDaemon()
        let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
        configure(configuration)
        let session = backgroundSession(
            configuration,
            delegate: delegate,
            delegateQueue: queue,
            environment: try environment(restarts: restarts),
            isSupervised: isSupervised
        )
        guard let session else { throw TestError("There is no session.") }
        return session
    }

    /// Kills the daemon, and seals the sessions' journals, which is the next daemon's first action.
    func killDaemonAndSealJournals() throws {
        try daemon.killDaemon()
        let folder = daemon.home + "/journals"
        for name in TestFiles.names(in: folder) { chmod("\(folder)/\(name)", 0o400) }
    }

    private func waitForDaemon() throws {
        _ = try eventually("the daemon to answer") {
            try daemon.run("list", "--no-start").isSuccess ? true : nil
        }
    }

    func url(_ path: String) throws -> URL {
        guard let url = URL(string: server.url(path)) else { throw TestError("\(path) makes no URL.") }
        return url
    }

    func request(_ path: String, method: String = "PUT") throws -> URLRequest {
        var request = URLRequest(url: try url(path))
        request.httpMethod = method
        return request
    }

    func file(_ name: String, bytes: Int) throws -> URL {
        URL(fileURLWithPath: try daemon.makeFile(name, bytes: bytes).path)
    }
}
