// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageClient
package import OffstageCore
import OffstageProtocol

/// Checks the daemon and its surroundings: the network, certificates, the log-in session.
package enum SystemChecks {
    package static func all(_ context: CommandContext) -> [Finding] {
        daemon(context)
            + [
                certificates(context.environment), runtimeFolder(context.environment, try? context.paths()),
                lingering(),
            ]
    }

    /// Seconds within which the daemon must give each answer. Here it only matters whether it answers at all.
    private static let patience = 5.0

    private static func daemon(_ context: CommandContext) -> [Finding] {
        do {
            var connector = try context.connector(mayStart: false)
            connector.patience = patience
            connector.onSilence = nil
            let connection = try connector.connect()
            let status = try connection.send(GetStatus())
            let fits = status.version == .current
            return [
                Finding(
                    fits ? .ok : .warn,
                    "daemon",
                    "offstaged \(status.version) is running as process \(status.processID), started \(status.startedBy)",
                    advice: fits ? "" : "This is offstage \(OffstageVersion.current): install the same version of both."
                ),
                Finding(.ok, "transfers", ListCommand.counts(status.counts)),
                network(status.network),
            ] + desktop(status.desktop) + conditions(try connection.send(GetConditions()).machine)
                + (fits ? accounts(try connection.send(ListAccounts()).rows) : [])
                + status.notices.map { Finding(.warn, "notice", $0, advice: "See 'offstage daemon log'.") }
        } catch let error as OffstageError where error.code == .daemonUnreachable {
            return [
                Finding(
                    .ok,
                    "daemon",
                    "not running; the next upload, download or list starts it, and suspended apps stay stopped until then"
                ),
                hasAddress()
                    ? Finding(.ok, "network", "an interface is up and has an address")
                    : Finding(
                        .warn,
                        "network",
                        "no interface other than loopback is up and has an address",
                        advice: "Transfers wait until there is one."
                    ),
            ] + ((try? context.paths()).map(CrashChecks.all) ?? [])
        } catch let error as OffstageError {
            // For a silent daemon, the sentence itself contains the advice.
            let advice = error.code == .daemonSilent ? "" : "See 'offstage daemon log'."
            return [Finding(.fail, "daemon", error.description, advice: advice)]
        } catch {
            return [Finding(.fail, "daemon", "it cannot be reached")]
        }
    }

    /// Where notifications go. A server has no desktop, so a missing one is not a warning.
    ///
    /// - Parameter problem: the problem reported by the daemon; nil if it is too old to report one.
    /// - Returns: one finding, or none.
    package static func desktop(_ problem: String?) -> [Finding] {
        guard let problem else { return [] }
        let text = problem.isEmpty ? "shown on the desktop" : "not shown: \(problem)"
        return [Finding(.ok, "notifications", text)]
    }

    /// Accounts without usable tokens. Uploads to them fail until the user fixes that.
    private static func accounts(_ rows: [AccountRow]) -> [Finding] {
        let usable = rows.filter { $0.standing == .usable }.map { "'\($0.account.name)'" }
        let good = usable.isEmpty ? [] : [Finding(.ok, "accounts", "usable: \(usable.joined(separator: ", "))")]
        return good
            + rows.filter { $0.standing != .usable }.map { row in
                Finding(
                    .fail,
                    "account '\(row.account.name)'",
                    row.reason ?? "it cannot be used",
                    advice: AccountText.advice(row) ?? ""
                )
            }
    }

    /// The conditions that deferred tasks depend on, and those that the machine does not report.
    private static func conditions(_ machine: ConditionsReport) -> [Finding] {
        let sources = ConditionsText.names.compactMap { name in machine.sources[name].map { "\(name): \($0)" } }
        let line = ConditionsText.line(machine)
        let text = sources.isEmpty ? line : "\(line) (\(sources.joined(separator: "; ")))"
        return [Finding(.ok, "conditions", text)]
            + ConditionsText.warnings(machine, usesColour: false).map { Finding(.warn, "conditions", $0) }
    }

    /// The daemon's sentence about the network.
    private static func network(_ sentence: String) -> Finding {
        hasAddress()
            ? Finding(.ok, "network", sentence)
            : Finding(.warn, "network", sentence, advice: "Transfers wait until there is one.")
    }

    /// Whether an interface other than loopback is running and has an address.
    private static func hasAddress() -> Bool {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return false }
        defer { freeifaddrs(list) }
        var next = list
        while let entry = next?.pointee {
            let wanted = UInt32(IFF_UP | IFF_RUNNING)
            let isLoopback = entry.ifa_flags & UInt32(IFF_LOOPBACK) != 0
            let family = entry.ifa_addr.map { Int32($0.pointee.sa_family) }
            if entry.ifa_flags & wanted == wanted, !isLoopback, family == AF_INET || family == AF_INET6 { return true }
            next = entry.ifa_next
        }
        return false
    }

    /// Where the system keeps the certificate authorities it trusts.
    private static let stores = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem",
        "/etc/ssl/ca-bundle.pem",
    ]

    package static func certificates(_ environment: [String: String]) -> Finding {
        if let named = environment["SSL_CERT_FILE"], !named.isEmpty {
            return access(named, R_OK) == 0
                ? Finding(.ok, "certificates", "SSL_CERT_FILE is \(named)")
                : Finding(
                    .fail,
                    "certificates",
                    "SSL_CERT_FILE is \(named), which cannot be read",
                    advice: "Unset it or name a PEM file."
                )
        }
        guard let found = stores.first(where: { access($0, R_OK) == 0 }) else {
            return Finding(
                .warn,
                "certificates",
                "the system's certificate authorities were not found",
                advice:
                    "Install ca-certificates, or name a PEM file with --cacert or SSL_CERT_FILE; https fails without one."
            )
        }
        return Finding(.ok, "certificates", found)
    }

    /// Checks the runtime folder. An unusable one counts as not set, since the socket is then elsewhere.
    ///
    /// - Parameters:
    ///   - environment: the environment variables.
    ///   - paths: the paths derived from them; nil if there are none.
    /// - Returns: the finding.
    package static func runtimeFolder(_ environment: [String: String], _ paths: OffstagePaths?) -> Finding {
        let subject = "XDG_RUNTIME_DIR"
        let place = paths.map { ": a daemon that starts here listens at \($0.socket)" } ?? ""
        if paths?.isApart == true { return Finding(.ok, subject, "not used, since OFFSTAGE_HOME is set\(place)") }
        guard let path = environment[subject], !path.isEmpty else {
            return Finding(.ok, subject, "not set\(place)")
        }
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            let text = "\(path) does not exist, so it is ignored\(place)"
            return Finding(.warn, subject, text, advice: "Log in again, or unset it.")
        }
        guard status.st_uid == geteuid() else {
            let text =
                "\(path) belongs to another user (sudo and su keep the variable), so it is ignored\(place)"
            return Finding(.warn, subject, text, advice: "Unset it.")
        }
        guard let socket = paths?.socket, socket.hasPrefix(path.hasSuffix("/") ? path : path + "/") else {
            let text = "\(path) is writable by others, so it is ignored\(place)"
            return Finding(.warn, subject, text, advice: "chmod 700 \(path), or unset it.")
        }
        return Finding(.ok, subject, path)
    }

    /// Whether systemd ends this user's processes when the last session closes.
    private static func lingering() -> Finding {
        guard access("/run/systemd/system", F_OK) == 0 else {
            return Finding(.ok, "lingering", "systemd is not running: nothing ends the daemon when you log out")
        }
        guard let name = getpwuid(geteuid()).map({ String(cString: $0.pointee.pw_name) }) else {
            return Finding(.warn, "lingering", "this user has no name in the user database")
        }
        if access("/var/lib/systemd/linger/\(name)", F_OK) == 0 {
            return Finding(
                .ok,
                "lingering",
                "\(name)'s services keep running after the last log-out and start with the machine"
            )
        }
        return Finding(
            .warn,
            "lingering",
            "systemd may end \(name)'s daemon after the last log-out; transfers continue at the next log-in",
            advice: "loginctl enable-linger \(name)"
        )
    }
}
