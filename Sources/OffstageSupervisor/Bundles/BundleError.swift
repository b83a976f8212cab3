// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// Why the file at a path cannot be registered as an app.
package enum BundleError: Error, Sendable, Hashable {
    case nothing(path: String)
    /// A folder that is not named `Name.app`.
    case folder(path: String)
    /// Neither a folder nor an executable file.
    case notExecutable(path: String)
    /// A script: its process would belong to the program that runs it.
    case script(path: String)
    /// No `Info.plist` in the folder, or none beside the executable.
    case noInformation(path: String, expected: String)
    case unreadable(plist: String)
    case noExecutable(plist: String)
    case executableMissing(plist: String, name: String, expected: String)
    /// The `Info.plist` files near the executable belong to other programs.
    case otherExecutable(plist: String, names: String, path: String)
    case noIdentifier(plist: String)
    case badIdentifier(plist: String, identifier: String)
    /// Another user could have placed the file.
    case untrusted(path: String, PathDoubt)

    /// One sentence that states the failure, the affected file, and the remedy.
    package var sentence: String {
        switch self {
        case .nothing(let path):
            "There is nothing at \(path): name a Name.app folder or an executable."
        case .folder(let path):
            "The folder \(path) is not an app: its name must end in .app."
        case .notExecutable(let path):
            "The file \(path) cannot be run: make it executable, or name another."
        case .script(let path):
            "The file \(path) is a script, so its process is its interpreter's: an app needs an executable of its own."
        case .noInformation(let path, let expected):
            "The app \(path) has no Info.plist: put one at \(expected), with CFBundleIdentifier and CFBundleExecutable."
        case .unreadable(let plist):
            "The file \(plist) cannot be read as a property list: write it as XML in UTF-8 or in Apple's binary form, in at most 1 MiB and \(PropertyListShape.deepest) levels."
        case .noExecutable(let plist):
            "The file \(plist) names no executable: add CFBundleExecutable."
        case .executableMissing(let plist, let name, let expected):
            "The file \(plist) names the executable '\(name)', which does not exist: put it at \(expected)."
        case .otherExecutable(let plist, let names, let path):
            "The file \(plist) is for the executable '\(names)', not for \(path): set CFBundleExecutable to its name."
        case .noIdentifier(let plist):
            "The file \(plist) has no identifier: add CFBundleIdentifier."
        case .untrusted(let path, let doubt):
            "The app at \(path) could have been changed by another user (\(doubt.detail)): \(doubt.advice)."
        case .badIdentifier(let plist, let identifier):
            "The identifier '\(identifier)' in \(plist) cannot be used: write it like org.example.App, in ASCII and without spaces or slashes."
        }
    }
}
