// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc

/// The desktop of this user, where there is one.
enum Desktop {
    /// Has it open an address.
    ///
    /// - Parameters:
    ///   - url: everybody on the machine can read it while that is under way.
    ///   - environment: says whether there is a desktop.
    /// - Returns: whether it was asked.
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
