// SPDX-License-Identifier: Apache-2.0

/// The environment variables of an app that are recorded for its relaunch: variables for paths and logging, but none
/// that may contain a secret.
package enum LaunchEnvironment {
    private static let names: Set<String> = [
        "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "DISPLAY", "WAYLAND_DISPLAY",
        "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "OFFSTAGE_HOME", "OFFSTAGED", "SSL_CERT_FILE", "SSL_CERT_DIR",
        "LD_LIBRARY_PATH", "OFFSTAGE_OS_LOG", "OS_ACTIVITY_MODE",
    ]
    private static let prefixes = ["LC_", "XDG_"]

    /// The recorded part of an environment; `additional` are names from the settings.
    package static func allowed(_ environment: [String: String], additional: [String] = []) -> [String: String] {
        environment.filter { name, _ in
            names.contains(name) || additional.contains(name) || prefixes.contains { name.hasPrefix($0) }
        }
    }
}
