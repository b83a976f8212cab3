// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageFleet
import OffstageTestSupport

/// A real PostgreSQL server in its own folder, on a Unix socket and, with a certificate, on loopback. As root it runs
/// as the user `postgres`, since it refuses root.
final class PostgresServer {
    private static let versions = (13...30).reversed().map { "/usr/lib/postgresql/\($0)/bin" }
    private static let programs = versions.first { access("\($0)/postgres", X_OK) == 0 }

    static var isThere: Bool { programs != nil && (geteuid() != 0 || getpwnam("postgres") != nil) }

    let folder: TemporaryDirectory
    let port: UInt16
    private let command: [String]
    private var process: ChildProcess

    /// - Parameter certificate: makes it listen on 127.0.0.1 with TLS.
    /// - Throws: `TestError` if it does not start.
    init(certificate: ((String) throws -> TestCertificate)? = nil) throws {
        folder = try TemporaryDirectory()
        port = try Self.freePort()
        let data = folder.path("data")
        try Self.own(folder.path)
        try Self.run("initdb", ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"])
        var settings = ["-D", data, "-k", folder.path, "-p", "\(port)", "-c", "fsync=off"]
        if let certificate {
            let made = try certificate(folder.path)
            try Self.own(made.key)
            settings += ["-c", "listen_addresses=127.0.0.1", "-c", "ssl=on", "-c", "ssl_cert_file=\(made.certificate)"]
            settings += ["-c", "ssl_key_file=\(made.key)"]
        } else {
            settings += ["-c", "listen_addresses="]
        }
        command = Self.command("postgres", settings)
        process = try ChildProcess(command[0], Array(command.dropFirst()), directory: "/")
        try answers()
    }

    private func answers() throws {
        let socket = folder.path(".s.PGSQL.\(port)")
        let child = process
        try eventually("postgres answers") { () -> Bool? in
            guard child.isRunning else { throw TestError("postgres has ended: \(child.errors)") }
            return access(socket, F_OK) == 0 && child.errors.contains("ready to accept") ? true : nil
        }
    }

    /// Shuts it down cleanly.
    func stop() throws {
        process.kill(SIGINT)
        _ = try process.exitStatus()
    }

    /// Starts it again after `stop` or `crash`.
    func start() throws {
        process = try ChildProcess(command[0], Array(command.dropFirst()), directory: "/")
        try answers()
    }

    deinit { process.kill(SIGQUIT) }

    /// A libpq connection string for its socket.
    func words(_ login: String = "postgres") -> String {
        "host=\(folder.path) port=\(port) user=\(login) dbname=postgres"
    }

    /// Kills it, as a crash would.
    func crash() throws {
        process.kill(SIGQUIT)
        _ = try process.exitStatus()
    }

    private static func command(_ program: String, _ arguments: [String]) -> [String] {
        let command = ["\(programs ?? "")/\(program)"] + arguments
        guard geteuid() == 0 else { return command }
        return ["/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"] + command
    }

    private static func run(_ program: String, _ arguments: [String]) throws {
        let command = command(program, arguments)
        let result = try ChildProcess.run(command[0], Array(command.dropFirst()), directory: "/")
        guard result.isSuccess else { throw TestError("\(program) failed: \(result.errors)") }
    }

    private static func own(_ path: String) throws {
        guard chmod(path, path.hasSuffix(".pem") ? 0o600 : 0o700) == 0 else { throw TestError.system("chmod") }
        guard geteuid() == 0, let user = getpwnam("postgres") else { return }
        guard chown(path, user.pointee.pw_uid, user.pointee.pw_gid) == 0 else { throw TestError.system("chown") }
    }

    private static func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else { throw TestError.system("no port") }
        return UInt16(bigEndian: address.sin_port)
    }
}
