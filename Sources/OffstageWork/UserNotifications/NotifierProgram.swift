// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc

/// The program that shows notifications on a desktop, and whether there is a desktop.
package enum NotifierProgram {
    static let name = "offstage-notifier"

    /// The program's path, or why nothing can be shown.
    package static func find(_ environment: [String: String]) -> (path: String?, problem: String?) {
        guard hasSessionBus(environment) else { return (nil, "there is no desktop session") }
        guard let path = path(environment) else { return (nil, "the program offstage-notifier is not installed") }
        return (path, nil)
    }

    /// Starts the program, if there is a desktop to show notifications on.
    ///
    /// - Parameters:
    ///   - environment: the environment of this process.
    ///   - run: starts a shell command with these variables.
    /// - Returns: nil, or why it cannot be started.
    package static func start(
        _ environment: [String: String],
        run: (_ command: String, _ variables: [String: String]) -> Void
    ) -> String? {
        let (program, problem) = find(environment)
        guard let program else { return problem }
        run("\"$OFFSTAGE_NOTIFIER\" >/dev/null 2>&1 &", ["OFFSTAGE_NOTIFIER": program])
        return nil
    }

    /// The path in `OFFSTAGE_NOTIFIER`, or beside the daemon; nil if the program is missing.
    package static func path(_ environment: [String: String]) -> String? {
        if let named = environment["OFFSTAGE_NOTIFIER"], named.hasPrefix("/") { return named }
        guard let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else { return nil }
        guard let slash = own.lastSlash else { return nil }
        let path = own[..<slash] + "/" + name
        return access(String(path), X_OK) == 0 ? String(path) : nil
    }

    /// Whether a session bus is known.
    package static func hasSessionBus(_ environment: [String: String]) -> Bool {
        if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty { return true }
        guard let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/") else { return false }
        return access(folder + "/bus", F_OK) == 0
    }
}
