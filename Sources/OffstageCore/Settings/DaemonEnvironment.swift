// SPDX-License-Identifier: Apache-2.0

/// The variables that pass from a shell to the daemon that its command starts, and from the daemon to the commands that
/// people configured. The daemon outlives the shell and serves other clients, so it must not get a shell's private
/// variables, such as cloud keys.
package enum DaemonEnvironment {
    /// Variables that a configured command may need, for paths and its user.
    private static let forEverybody: Set<String> = [
        "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "DISPLAY", "WAYLAND_DISPLAY",
        "XAUTHORITY",
        "DBUS_SESSION_BUS_ADDRESS", "SSL_CERT_FILE", "SSL_CERT_DIR", "OFFSTAGE_HOME",
    ]
    /// Additional variables for the daemon itself, and the switch that makes a test's daemon trap.
    private static let forDaemon: Set<String> = [
        "OFFSTAGED", "OFFSTAGE_NOTIFIER", "OFFSTAGE_CGROUP", "OFFSTAGE_FAULT", "LD_LIBRARY_PATH", "ASAN_OPTIONS",
        "TSAN_OPTIONS", "UBSAN_OPTIONS",
    ]
    private static let prefixes = ["LC_", "XDG_"]
    private static let standardPath = "/usr/local/bin:/usr/bin:/bin"

    /// The environment of a daemon that is started on demand.
    package static func ofDaemon(startedFrom environment: [String: String]) -> [String: String] {
        environment.filter { name, _ in forDaemon.contains(name) }
            .merging(common(environment)) { $1 }
    }

    /// The environment of a completion command or the credential helper: the daemon's harmless variables, and the
    /// command's own.
    package static func ofCommand(_ environment: [String: String], told: [String: String]) -> [String: String] {
        common(environment).merging(told) { $1 }
    }

    private static func common(_ environment: [String: String]) -> [String: String] {
        var result = environment.filter { name, _ in
            forEverybody.contains(name) || prefixes.contains { name.hasPrefix($0) }
        }
        // Neither runs in the shell's folder.
        let folders = (environment["PATH"] ?? standardPath).split(separator: ":").filter { $0.hasPrefix("/") }
        result["PATH"] = folders.isEmpty ? standardPath : folders.joined(separator: ":")
        return result
    }
}
