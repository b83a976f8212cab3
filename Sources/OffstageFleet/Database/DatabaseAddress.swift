// SPDX-License-Identifier: Apache-2.0
import CPostgreSQL
import OffstageCore

/// Where a fleet's database is, as a URL or words of libpq, with what it needs to be spoken to safely.
///
/// It may hold a password, which its description leaves out.
package struct DatabaseAddress: Sendable, Equatable, CustomStringConvertible {
    /// Keywords and values for libpq, in their order; later ones outweigh earlier ones.
    let options: [Option]
    /// The sockets of this machine that the servers are at. libpq speaks to them without TLS, whatever `sslmode` says.
    let sockets: [String]

    struct Option: Sendable, Equatable {
        var keyword: String
        var value: String
    }

    /// The options that may be chosen: any other could weaken the connection or have libpq read and write files.
    private static let permitted: Set<String> = [
        "host", "hostaddr", "port", "dbname", "user", "password", "passfile", "requirepeer", "sslmode", "sslrootcert",
        "sslcert", "sslkey",
        "sslcrl", "target_session_attrs", "connect_timeout", "keepalives_idle", "keepalives_interval",
        "keepalives_count", "tcp_user_timeout",
    ]

    /// The certificates that machines trust, for an address that names none.
    private static let usualAuthorities = "/etc/ssl/certs/ca-certificates.crt"
    /// The folder of the socket of an address that names no server.
    private static let usualFolder = "/var/run/postgresql"
    private static let usualPort = "5432"

    /// Whom an address says to be at its sockets; nil if it does not say.
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
        // What decides where libpq goes is settled here: it would take these from the environment later.
        let usual = Self.values(PQconndefaults())
        for keyword in ["host", "hostaddr", "requirepeer"] where given[keyword, default: ""].isEmpty {
            given[keyword] = usual[keyword]
        }
        let places = Self.sockets(given, usualPort: usual["port"] ?? Self.usualPort)
        sockets = places.compactMap(\.self)
        // Only a socket of this machine needs no TLS: the kernel says who is at its other end (`DatabasePeer`).
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
        // For each server of the list: one whose machine is gone answers nothing at all.
        given["connect_timeout"] = given["connect_timeout", default: "4"]
        given["tcp_user_timeout"] = given["tcp_user_timeout", default: "15000"]
        given["application_name"] = application
        given["client_encoding"] = "UTF8"
        given["gssencmode"] = "disable"
        // Whatever the server's settings are: functions are short, and read what is committed.
        given["options"] = "-c default_transaction_isolation=read\\ committed -c jit=off"
        options = given.sorted { $0.key < $1.key }.map { Option(keyword: $0.key, value: $0.value) }
    }

    /// Who, where and which database: `ann@db.example:5432/fleet`.
    package var description: String {
        func value(_ keyword: String) -> String? {
            options.first { $0.keyword == keyword }.map { FleetText($0.value, longest: 300).description }
        }
        let user = value("user").map { "\($0)@" } ?? ""
        let port = value("port").map { ":\($0)" } ?? ""
        return "\(user)\(value("host") ?? value("hostaddr") ?? "")\(port)\(value("dbname").map { "/\($0)" } ?? "")"
    }

    /// The socket of each server; nil for one of the network. libpq takes the lists apart in this way: a server with an
    /// address has its name for the certificate alone, and one with neither is at a socket in the usual folder.
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
            // With @ it is a name that no file stands for.
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
            // The message may repeat a part of the address, and so a password.
            PQfreemem(message)
            throw DatabaseError(
                .address,
                "The address of the database cannot be read: write postgresql://USER@HOST/NAME"
            )
        }
        return values(list)
    }

    /// The values that libpq gives, which are freed.
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
