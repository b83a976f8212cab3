// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc

/// This user's desktop, if there is one.
enum Desktop {
    /// Opens an address on the desktop.
    ///
    /// - Parameters:
    ///   - url: the address. Every user of the machine can read it while it is being opened.
    ///   - environment: the environment, which tells whether there is a desktop.
    /// - Returns: whether the desktop was asked to open it.
    @discardableResult
    static func open(_ url: String, _ environment: [String: String]) -> Bool {
        let hasDesktop = ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0].map { !$0.isEmpty } ?? false }
        let folders = (environment["PATH"] ?? "").split(separator: ":").map(String.init)
        guard hasDesktop, let path = folders.map({ $0 + "/xdg-open" }).first(where: { access($0, X_OK) == 0 }) else {
            return false
        }
        let words: [UnsafeMutablePointer<CChar>?] = [strdup(path), strdup(url), nil]
        let variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + variables { free(text) } }
        return offstage_spawn(path, words, variables, "/", -1, -1, -1) > 0
    }
}
