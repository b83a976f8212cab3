// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc

/// A real nginx on a loopback port: GET and PUT in `root`, for the lifetime of the object.
package final class NginxServer: Sendable {
    /// The options that differ between tests.
    package struct Options: Sendable {
        /// Bytes a second of each response; nil for no limit.
        package var rateLimit: Int?
        /// TLS with this certificate, and HTTP/2 over it.
        package var certificate: TestCertificate?
        /// Basic authentication, `user:password`.
        package var login: String?
        /// Further lines of the server block.
        package var extra: String
        /// A directory outside the server's own to serve, such as one on tmpfs.
        package var root: String?
        /// Whether a PUT creates its file's parent folders; otherwise MKCOL does, as on most WebDAV servers.
        package var makesFolders: Bool

        package init(
            rateLimit: Int? = nil,
            certificate: TestCertificate? = nil,
            login: String? = nil,
            extra: String = "",
            root: String? = nil,
            makesFolders: Bool = true
        ) {
            self.rateLimit = rateLimit
            self.certificate = certificate
            self.login = login
            self.extra = extra
            self.root = root
            self.makesFolders = makesFolders
        }
    }

    package let port: UInt16
    /// The folder that it serves and stores uploads in.
    package let root: String
    package let directory: TemporaryDirectory
    private let scheme: String
    private let process = Monitor<ChildProcess?>(nil)

    package init(_ options: Options = Options()) throws {
        directory = try TemporaryDirectory()
        root = options.root ?? directory.path("root")
        try TestFiles.makeDirectory(root)
        try TestFiles.makeDirectory(directory.path("tmp"))
        // Uploads are renamed into place: the temporary body must be on the same file system.
        try TestFiles.makeDirectory(options.root.map { $0 + "/.bodies" } ?? directory.path("bodies"))
        port = try FreePort.find()
        scheme = options.certificate == nil ? "http" : "https"
        if let login = options.login {
            let parts = login.split(separator: ":", maxSplits: 1)
            try TestFiles.write("\(parts[0]):{PLAIN}\(parts[1])\n", to: directory.path("logins"))
        }
        try TestFiles.write(configuration(options), to: directory.path("nginx.conf"))
        try start()
    }

    deinit { kill() }

    /// The URL of a file, with the host name of the certificate.
    package func url(_ name: String) -> String {
        "\(scheme)://\(scheme == "https" ? "localhost" : "127.0.0.1"):\(port)/\(name)"
    }

    /// The path of a file in the root.
    package func path(_ name: String) -> String { root + "/" + name }

    /// Starts the server, always on the same port, and returns once it answers.
    package func start() throws {
        let server = try ChildProcess(
            "/usr/sbin/nginx",
            ["-p", directory.path, "-c", directory.path("nginx.conf"), "-e", directory.path("error.log")]
        )
        process.withLock { $0 = server }
        try eventually("nginx listens on port \(port)") {
            guard server.isRunning else {
                throw TestError("nginx does not start: \((try? TestFiles.text(directory.path("error.log"))) ?? "")")
            }
            guard let socket = try? LoopbackSocket.connect(port: port) else { return nil as Bool? }
            close(socket)
            return true
        }
    }

    /// Stops the server as its operator would: connections are closed, the port is free afterwards.
    package func stop() { end(SIGTERM) }

    /// Kills the server at once, with all processes it has started.
    package func kill() { end(SIGKILL) }

    /// The finished requests, oldest first.
    package func entries() throws -> [AccessLogEntry] {
        guard let bytes = try? TestFiles.read(directory.path("access.log")) else { return [] }
        let whole = bytes.lastIndex(of: UInt8(ascii: "\n")).map { bytes[..<$0] } ?? []
        return try whole.split(separator: UInt8(ascii: "\n")).map {
            try JSONDecoder().decode(AccessLogEntry.self, from: Data($0))
        }
    }

    /// Waits until so many requests for a URI have finished.
    package func waitForEntries(_ uri: String, count: Int, within seconds: Double = 20) throws -> [AccessLogEntry] {
        try eventually("\(count) entries for \(uri) in nginx's log", within: seconds) {
            let found = try entries().filter { $0.uri == uri }
            return found.count >= count ? found : nil
        }
    }

    private func end(_ signal: Int32) {
        guard let server = process.withLock({ $0 }) else { return }
        server.killGroup(signal)
        if (try? server.exitStatus(within: 10)) == nil { server.killGroup(SIGKILL) }
        _ = try? server.exitStatus(within: 10)
    }

    private func configuration(_ options: Options) -> String {
        let listen =
            options.certificate.map {
                """
                listen 127.0.0.1:\(port) ssl http2 backlog=1024;
                ssl_certificate \($0.certificate);
                ssl_certificate_key \($0.key);
                """
            } ?? "listen 127.0.0.1:\(port) backlog=1024;"
        let login = options.login == nil ? "" : "auth_basic test; auth_basic_user_file \(directory.path("logins"));"
        let temporary = ["proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(directory.path("tmp"));" }
        // A single process: when it is gone, nothing is left behind and the port is free.
        return """
            daemon off;
            master_process off;
            \(getuid() == 0 ? "user root;" : "")
            pid \(directory.path("nginx.pid"));
            error_log \(directory.path("error.log")) info;
            worker_rlimit_nofile 4096;
            events { worker_connections 2048; }
            http {
            \(AccessLogEntry.logFormat)
            access_log \(directory.path("access.log")) entries;
            client_body_temp_path \(options.root.map { $0 + "/.bodies" } ?? directory.path("bodies"));
            \(temporary.joined(separator: "\n"))
            client_max_body_size 0;
            default_type application/octet-stream;
            keepalive_requests 100000;
            lingering_close off;
            server {
            \(listen)
            server_name localhost;
            root \(root);
            \(options.rateLimit.map { "limit_rate \($0);" } ?? "")
            \(login)
            dav_methods PUT DELETE MKCOL;
            create_full_put_path \(options.makesFolders ? "on" : "off");
            \(options.extra)
            }
            }

            """
    }
}
