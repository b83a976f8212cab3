// SPDX-License-Identifier: Apache-2.0
import Glibc
import Offstage
import OffstageTestSupport

/// The home of the test process's own sessions: as in an app, there is one for the whole process.
///
/// Each test uses its own identifiers.
enum SessionHome {
    /// Started on first use, and gone with the process.
    static let daemon: DaemonFixture = {
        let settings = """
            {"retryBaseDelay": 0.1, "retryMaximumDelay": 1, "connectionsPerHost": 64, "maximumRunning": 256}
            """
        do {
            let daemon = try DaemonFixture(settings: settings)
            setenv("OFFSTAGE_HOME", daemon.home, 1)
            setenv("OFFSTAGED", try BuiltProducts.path("offstaged"), 1)
            setenv("AWS_SHARED_CREDENTIALS_FILE", daemon.path("credentials"), 1)
            setenv("AWS_CONFIG_FILE", daemon.path("config"), 1)
            try TestFiles.write(
                "[phone]\naws_access_key_id = AKIDEXAMPLE\naws_secret_access_key = hunter2-secret\n",
                to: daemon.path("credentials")
            )
            try daemon.startOnDemand()
            atexit { SessionHome.daemon.end() }
            return daemon
        } catch {
            fatalError("No daemon for the sessions of the tests: \(error)")
        }
    }()

    /// A new background session, whose configuration is set up by `change`.
    static func session(
        _ delegate: (any URLSessionDelegate)? = nil,
        queue: OperationQueue? = nil,
        _ change: (URLSessionConfiguration) -> Void = { _ in }
    ) -> URLSession {
        let configuration = configuration()
        change(configuration)
        return URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
    }

    /// A background configuration with an identifier that no other test has.
    static func configuration() -> URLSessionConfiguration {
        _ = daemon
        return .background(withIdentifier: "test.\(UUID().uuidString)")
    }

    /// A URL from its text.
    static func url(_ text: String) throws -> URL {
        guard let url = URL(string: text) else { throw TestError("\(text) is no URL.") }
        return url
    }

    /// A request with a method.
    static func request(_ text: String, method: String = "GET") throws -> URLRequest {
        var request = URLRequest(url: try url(text))
        request.httpMethod = method
        return request
    }

    /// A file of random content, with its bytes.
    static func makeFile(_ bytes: Int, seed: UInt64 = 1) throws -> (url: URL, bytes: [UInt8]) {
        let path = daemon.path(UUID().uuidString)
        try TestFiles.makeRandom(path, bytes: bytes, seed: seed)
        return (URL(fileURLWithPath: path), try TestFiles.read(path))
    }
}

extension Monitor {
    /// Waits until `probe` finds something. Outside the test macros, which cannot take such a closure.
    func awaited<Result>(within seconds: Double = 30, _ probe: (Value) -> Result?) -> Result? {
        wait(TimeLimit(seconds: seconds)) { probe($0) }
    }
}
