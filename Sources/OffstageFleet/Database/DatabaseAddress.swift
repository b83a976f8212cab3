// SPDX-License-Identifier: Apache-2.0
import CPostgreSQL
import OffstageCore

/// The address of a fleet's database, as a URL or libpq keywords, with the options for a secure connection.
///
/// It may hold a password, which its description leaves out.
package struct DatabaseAddress: Sendable, Equatable, CustomStringConvertible {
    /// Keywords and values for libpq, in order. Later ones override earlier ones.
    let options: [Option]
    /// The servers' Unix sockets on this machine. libpq connects to them without TLS, regardless of `sslmode`.
    let sockets: [String]

    struct Option: Sendable, Equatable {
        var keyword: String
        var value: String
    }

    /// The permitted options. Any other could weaken the connection, or make libpq read and write files.
    private static let permitted: Set<String> = [
        "host", "hostaddr", "port", "dbname", "user", "password", "passfile", "requirepeer", "sslmode", "sslrootcert",
        "sslcert", "sslkey",
        "sslcrl", "target_session_attrs", "connect_timeout", "keepalives_idle", "keepalives_interval",
        "keepalives_count", "tcp_user_timeout",
    ]

    /// The system's trusted certificates, for an address that names none.
    private static let usualAuthorities = "/etc/ssl/certs/ca-certificates.crt"
    /// The folder of the socket of an address that names no server.
    private static let usualFolder = "/var/run/postgresql"
    private static let usualPort = "5432"

    /// The user that the address requires at its sockets; nil if it requires none.
    var requiredPeer: String? { options.first { $0.keyword == "requirepeer" }?.value }

    /// - Parameters:
    ///   - text: `postgresql://…`, or words such as `host=db dbname=fleet`.
    ///   - application: what the server lists as the name of the program.
    /// - Throws: `DatabaseError` of the kind `address`.
    package init(_ text: String, application: String = "offstage-fleet") throws(DatabaseError) {
        guard !text.utf8.contains(0), text.utf8.count <= 65_536 else {
            throw DatabaseError(.address, "The address of the database cannot be read")
        }
        var given = try Self.parsed(text)
        for keyword in given.keys where !Self.permitted.contains(keyword) {
            throw DatabaseError(.address, "The address of the database must not set '\(keyword.redactedControls)'")
        }
        // The connection's target is determined here. Otherwise libpq would take it from the environment later.
        let usual = Self.values(PQconndefaults())
        for keyword in ["host", "hostaddr", "requirepeer"] where given[keyword, default: ""].isEmpty {
            given[keyword] = usual[keyword]
        }
        let places = Self.sockets(given, usualPort: usual["port"] ?? Self.usualPort)
        sockets = places.compactMap(\.self)
        // Only a Unix socket needs no TLS, as the kernel identifies the process at its other end (`DatabasePeer`).
        if !places.allSatisfy({ $0?.utf8.first == UInt8(ascii: "/") }) {
            let mode = given["sslmode", default: "verify-full"]
            guard mode == "verify-full" else {
                throw DatabaseError(
                    .address,
                    "The connection to the database must be verified: write sslmode=verify-full, not \(mode.redactedControls)"
                )
            }
            given["sslmode"] = mode
            given["sslrootcert"] = given["sslrootcert", default: Self.usualAuthorities]
        } else {
            given["sslmode"] = "disable"
        }
        given["target_session_attrs"] = given["target_session_attrs", default: "read-write"]
        // The limit for each listed server. A server whose machine is down does not answer at all.
        given["connect_timeout"] = given["connect_timeout", default: "4"]
        given["tcp_user_timeout"] = given["tcp_user_timeout", default: "15000"]
        given["application_name"] = application
        given["client_encoding"] = "UTF8"
        given["gssencmode"] = "disable"
        // Regardless of the server's settings, as the functions are short and rely on committed reads.
        given["options"] = "-c default_transaction_isolation=read\\ committed -c jit=off"
        options = given.sorted { $0.key < $1.key }.map { Option(keyword: $0.key, value: $0.value) }
    }

    /// The user, servers and database: `ann@db.example:5432/fleet`.
    package var description: String {
        func value(_ keyword: String) -> String? {
            options.first { $0.keyword == keyword }.map { FleetText($0.value, longest: 300).description }
        }
        let user = value("user").map { "\($0)@" } ?? ""
        let port = value("port").map { ":\($0)" } ?? ""
        return "\(user)\(value("host") ?? value("hostaddr") ?? "")\(port)\(value("dbname").map { "/\($0)" } ?? "")"
    }

    /// The socket of each server; nil for a network server. This follows how libpq parses the lists: for a server with
    /// an address, the name is used only for the certificate, and a server with neither is at a socket in the default
    /// folder.
    private static func sockets(_ given: [String: String], usualPort: String) -> [String?] {
        func list(_ keyword: String) -> [String] {
            (given[keyword] ?? "").utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
        }
        let (hosts, addresses, ports) = (list("host"), list("hostaddr"), list("port"))
        return (0..<max(hosts.count, addresses.count)).map { index -> String? in
            func value(_ list: [String]) -> String { list.indices.contains(index) ? list[index] : "" }
            guard value(addresses).isEmpty else { return nil }
            let host = value(hosts).isEmpty ? usualFolder : value(hosts)
            // A name with @ is in the abstract namespace, without a file.
            guard let first = host.utf8.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "@") else {
                return nil
            }
            let port = ports.count == 1 ? ports[0] : value(ports)
            return "\(host)/.s.PGSQL.\(port.isEmpty ? usualPort : port)"
        }
    }

    private static func parsed(_ text: String) throws(DatabaseError) -> [String: String] {
        var message: UnsafeMutablePointer<CChar>?
        guard let list = PQconninfoParse(text, &message) else {
            // The message may contain a part of the address, and thus a password.
            PQfreemem(message)
            throw DatabaseError(
                .address,
                "The address of the database cannot be read: write postgresql://USER@HOST/NAME"
            )
        }
        return values(list)
    }

    /// Copies the values of a libpq list, and frees the list.
    private static func values(_ list: UnsafeMutablePointer<PQconninfoOption>?) -> [String: String] {
        guard let list else { return [:] }
        defer { PQconninfoFree(list) }
        var found: [String: String] = [:]
        var option = list
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { found[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        return found
    }
}
