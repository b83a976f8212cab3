// SPDX-License-Identifier: Apache-2.0
import CPostgreSQL
import OffstageCore

/// Where a fleet's database is, as a URL or words of libpq, with what it needs to be spoken to safely.
///
/// It may hold a password, which its description leaves out.
package struct DatabaseAddress: Sendable, Equatable, CustomStringConvertible {
    /// Keywords and values for libpq, in their order; later ones outweigh earlier ones.
    let options: [Option]

    struct Option: Sendable, Equatable {
        var keyword: String
        var value: String
    }

    /// The options that may be chosen: any other could weaken the connection or have libpq read and write files.
    private static let permitted: Set<String> = [
        "host", "hostaddr", "port", "dbname", "user", "password", "passfile", "sslmode", "sslrootcert", "sslcert",
        "sslkey",
        "sslcrl", "target_session_attrs", "connect_timeout", "keepalives_idle", "keepalives_interval",
        "keepalives_count", "tcp_user_timeout",
    ]

    /// The certificates that machines trust, for an address that names none.
    private static let usualAuthorities = "/etc/ssl/certs/ca-certificates.crt"

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
        // Only a socket of this machine needs no TLS: it has no other end than the one whose path it is.
        let hosts = (given["host"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
        let isLocal = given["hostaddr"] == nil && hosts.allSatisfy { $0.hasPrefix("/") } && !hosts.isEmpty
        if !isLocal {
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
