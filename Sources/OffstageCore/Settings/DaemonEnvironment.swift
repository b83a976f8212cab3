// SPDX-License-Identifier: Apache-2.0

/// Which variables go from a shell to the daemon that its command starts, and from the daemon to the commands that people
/// configured. The daemon outlives the shell, and serves all others: what one shell had for itself, such as the keys to a
/// cloud, is no business of theirs.
package enum DaemonEnvironment {
    /// What a command that somebody configured may need to find its way and its user.
    private static let forEverybody: Set<String> = [
        "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "DISPLAY", "WAYLAND_DISPLAY",
        "XAUTHORITY",
        "DBUS_SESSION_BUS_ADDRESS", "SSL_CERT_FILE", "SSL_CERT_DIR", "OFFSTAGE_HOME",
    ]
    /// What the daemon's own program needs besides, and the switch that makes one of a test trap.
    private static let forDaemon: Set<String> = [
        "OFFSTAGED", "OFFSTAGE_NOTIFIER", "OFFSTAGE_CGROUP", "OFFSTAGE_FAULT", "LD_LIBRARY_PATH", "ASAN_OPTIONS",
        "TSAN_OPTIONS", "UBSAN_OPTIONS",
    ]
    private static let prefixes = ["LC_", "XDG_"]
    private static let standardPath = "/usr/local/bin:/usr/bin:/bin"

    /// What a daemon is started with on demand.
    package static func ofDaemon(startedFrom environment: [String: String]) -> [String: String] {
        environment.filter { name, _ in forDaemon.contains(name) }
            .merging(common(environment)) { $1 }
    }

    /// What a completion command, or the credential helper, is run with: of the daemon's own what is harmless, and what it is
    /// told.
    package static func ofCommand(_ environment: [String: String], told: [String: String]) -> [String: String] {
        common(environment).merging(told) { $1 }
    }

    private static func common(_ environment: [String: String]) -> [String: String] {
        var result = environment.filter { name, _ in
            forEverybody.contains(name) || prefixes.contains { name.hasPrefix($0) }
        }
        // Neither is in the folder that it was in then.
        let folders = (environment["PATH"] ?? standardPath).split(separator: ":").filter { $0.hasPrefix("/") }
        result["PATH"] = folders.isEmpty ? standardPath : folders.joined(separator: ":")
        return result
    }
}
