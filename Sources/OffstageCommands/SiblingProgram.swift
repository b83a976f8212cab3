// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageFiles

/// One of our programs that a command starts.
struct SiblingProgram {
    let name: String
    /// The environment variable with its path.
    let variable: String

    /// Its path: the value of the variable, otherwise beside the running program, otherwise in `PATH`.
    ///
    /// - Throws: `CommandFailure` if there is none.
    func find(_ environment: [String: String]) throws(CommandFailure) -> String {
        if let named = environment[variable], !named.isEmpty {
            guard access(named, X_OK) == 0 else {
                throw CommandFailure("\(variable) is \(named.redactedControls), which cannot be run: unset it.")
            }
            return named
        }
        var candidates: [String] = []
        if let own = SmallFile.link("/proc/self/exe"), let slash = own.lastSlash {
            candidates.append(own[..<slash] + "/" + name)  // checked: an index of this very text
        }
        for folder in (environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":") {
            candidates.append(folder + "/" + name)
        }
        guard let found = candidates.first(where: { access($0, X_OK) == 0 }) else {
            throw CommandFailure(
                "The program \(name) was not found beside this program or in PATH: install it there, or name it in \(variable)."
            )
        }
        return found
    }
}
