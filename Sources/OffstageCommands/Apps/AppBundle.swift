// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import FoundationEssentials
import Glibc
import OffstageCore

/// A `Name.app` to create. Its parts are checked, then it is created beside its place and renamed into it.
struct AppBundle {
    /// The executable's name, and the app's without `.app`.
    let name: String
    /// The path of the bundle.
    let path: String
    let information: BundledInformation
    private let executable: String
    private let folder: String
    private static let mostBytes = 1 << 20

    /// - Parameters:
    ///   - executable: an absolute path.
    ///   - plist: an absolute path.
    ///   - identifier: the app's identifier if the file has none.
    ///   - folder: where to put it; nil for the executable's own.
    /// - Throws: `CommandFailure` for anything that cannot become an app.
    init(executable: String, plist: String, identifier: String?, folder: String?) throws(CommandFailure) {
        let shown = executable.redactedControls
        guard let real = realpath(executable, nil) else {
            throw CommandFailure("There is no executable \(shown): \(Self.reason(errno)).")
        }
        defer { free(real) }
        self.executable = String(cString: real)
        guard Self.kind(self.executable) == S_IFREG, access(self.executable, X_OK) == 0 else {
            throw CommandFailure("\(shown) is not an executable file: make it executable, or name another.")
        }
        guard try Self.bytes(self.executable, most: 2, isWhole: false) != Array("#!".utf8) else {
            throw CommandFailure(
                "\(shown) is a script, so its process would be its interpreter's: name a compiled program."
            )
        }
        let parts = executable.pathParts
        name = parts.last ?? ""
        guard !name.isEmpty, name != ".", name != ".." else { throw CommandFailure("\(shown) has no name of its own.") }
        let own = "/" + parts.dropLast().joined(separator: "/")
        let place = folder ?? own
        guard Self.kind(place) == S_IFDIR else {
            throw CommandFailure("There is no folder \(place.redactedControls): make it first.")
        }
        self.folder = place.count > 1 && place.hasSuffix("/") ? String(place.dropLast()) : place
        path = (self.folder == "/" ? "" : self.folder) + "/" + name + ".app"
        let source = try Self.bytes(plist, most: Self.mostBytes, isWhole: true)
        information = try BundledInformation(source, plist: plist, executable: name, identifier: identifier)
    }

    /// Creates the bundle.
    ///
    /// - Parameter replaces: whether an existing one is replaced, atomically.
    /// - Returns: whether the executable is the same file; otherwise it is a copy.
    /// - Throws: `CommandFailure`, in which case nothing has changed.
    func make(replaces: Bool) throws(CommandFailure) -> Bool {
        let standing = Self.kind(path, followsLink: false)
        if let standing {
            guard replaces else {
                throw CommandFailure("\(path.redactedControls) already exists: --force replaces it.")
            }
            // A folder without an Info.plist may be something else.
            guard standing == S_IFDIR, access(path + "/Info.plist", F_OK) == 0 else {
                throw CommandFailure("\(path.redactedControls) is not an app, so it is not replaced: move it away.")
            }
        }
        let beside = folder + "/.\(name).app-\(getpid())"
        guard mkdir(beside, 0o755) == 0 else { throw unmade(errno) }
        // After an exchange, this is the replaced app.
        defer { try? FileManager.default.removeItem(atPath: beside) }
        let isLinked = try place(into: beside)
        // Exchanged, or moved to an unused name, so other processes never see a partial or missing app.
        let result =
            standing == nil ? offstage_rename_without_replacing(beside, path) : offstage_exchange(beside, path)
        guard result == 0 else { throw unmade(errno) }
        return isLinked
    }

    private func place(into beside: String) throws(CommandFailure) -> Bool {
        do {
            try Data(information.bytes).write(to: URL(filePath: beside + "/Info.plist"))
            let isLinked = link(executable, beside + "/" + name) == 0
            if !isLinked { try FileManager.default.copyItem(atPath: executable, toPath: beside + "/" + name) }
            return isLinked
        } catch {
            throw CommandFailure("\(path.redactedControls) cannot be made: \(error).")
        }
    }

    private func unmade(_ code: Int32) -> CommandFailure {
        CommandFailure("\(path.redactedControls) cannot be made: \(Self.reason(code)).")
    }

    private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }

    private static func kind(_ path: String, followsLink: Bool = true) -> mode_t? {
        var status = stat()
        return (followsLink ? stat(path, &status) : lstat(path, &status)) == 0 ? status.st_mode & S_IFMT : nil
    }

    /// The beginning of a file, or all of a file that is not longer.
    private static func bytes(_ path: String, most: Int, isWhole: Bool) throws(CommandFailure) -> [UInt8] {
        let shown = path.redactedControls
        // Do not wait for a pipe.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw CommandFailure("\(shown) cannot be read: \(reason(errno)).") }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            throw CommandFailure("\(shown) is not a regular file.")
        }
        var found: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while found.count <= most {
            let got = read(descriptor, &buffer, buffer.count)
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw CommandFailure("\(shown) cannot be read: \(reason(errno)).") }
            if got == 0 { break }
            found += buffer[..<got]
        }
        guard isWhole else { return Array(found.prefix(most)) }
        guard found.count <= most else { throw CommandFailure("\(shown) is longer than \(most) bytes.") }
        return found
    }
}
