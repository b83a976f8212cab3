// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageCore
import OffstageFiles

/// The contents of the `Info.plist` files near an executable. Blocking.
package enum BundleFacts {
    /// An app that is installed at a path.
    package struct Located: Sendable, Equatable {
        /// The identity of a process of the executable (`AppIdentity`).
        package var id: String
        /// Absolute, without symbolic links.
        package var executable: String
        package var information: AppRegistration.Information

        /// Its registration.
        func registration(launch: AppRegistration.Launch) -> AppRegistration {
            AppRegistration(id: id, executable: executable, information: information, launch: launch)
        }
    }

    /// The identity of an executable: its bundle's identifier, or its path if there is none.
    package static func id(of identity: AppIdentity) -> String {
        let speaker = FileStanding(lookingAt: identity.executable)?.owner
        return identity.name(identity.candidates.map { InfoPlist.read($0, speaker: speaker)?.bundle })
    }

    /// The contents of the first `Info.plist` that names the executable; empty if there is none.
    package static func read(executable: String) -> AppRegistration.Information {
        first(of: executable)?.plist.information ?? AppRegistration.Information()
    }

    /// The path of the `Info.plist` that names the executable; nil if there is none.
    static func plist(of executable: String) -> String? { first(of: executable)?.path }

    private static func first(of executable: String) -> (path: String, plist: InfoPlist)? {
        let identity = AppIdentity(link: executable)
        let name = lastComponent(identity.executable)
        let speaker = FileStanding(lookingAt: identity.executable)?.owner
        for path in identity.candidates {
            if let plist = InfoPlist.read(path, speaker: speaker), plist.bundle.executable == name {
                return (path, plist)
            }
        }
        return nil
    }

    /// Finds the app at a path: a `Name.app` folder, or an executable with an `Info.plist`.
    package static func locate(_ path: String) throws(BundleError) -> Located {
        guard let real = realPath(path) else { throw .nothing(path: path) }
        let executable = isFolder(real) ? try executable(in: real) : real
        try check(executable)
        let identity = AppIdentity(link: executable)
        let name = lastComponent(executable)
        var others: (plist: String, names: String)?
        for candidate in identity.candidates where access(candidate, F_OK) == 0 {
            let plist = try readable(candidate)
            guard let names = plist.bundle.executable, !names.isEmpty else { throw .noExecutable(plist: candidate) }
            guard names == name else {
                others = others ?? (candidate, names)
                continue
            }
            guard let identifier = plist.bundle.identifier, !identifier.isEmpty else {
                throw .noIdentifier(plist: candidate)
            }
            guard id(of: identity) == identifier else { throw .badIdentifier(plist: candidate, identifier: identifier) }
            for path in [path, executable, candidate] { try checkTrust(path) }
            return Located(id: identifier, executable: executable, information: plist.information)
        }
        if let others { throw .otherExecutable(plist: others.plist, names: others.names, path: executable) }
        throw .noInformation(path: path, expected: identity.candidates[0])
    }

    /// The executable in a folder: either at its top, or as on a Mac. `AppIdentity` finds the same `Info.plist` from
    /// there.
    private static func executable(in folder: String) throws(BundleError) -> String {
        guard folder.hasSuffix(".app"), !folder.hasSuffix("/.app") else { throw .folder(path: folder) }
        let plists = [folder + "/Info.plist", folder + "/Contents/Info.plist"]
        guard let path = plists.first(where: { access($0, F_OK) == 0 }) else {
            throw .noInformation(path: folder, expected: plists[0])
        }
        let plist = try readable(path)
        guard let name = plist.bundle.executable, !name.isEmpty else { throw .noExecutable(plist: path) }
        let places = ["/\(name)", "/Contents/MacOS/\(name)", "/Contents/Linux/\(name)", "/bin/\(name)"]
        let found = places.lazy.map { folder + $0 }.first { access($0, F_OK) == 0 }
        guard !name.utf8.contains(UInt8(ascii: "/")), let found, let real = realPath(found) else {
            throw .executableMissing(plist: path, name: name, expected: folder + places[0])
        }
        return real
    }

    private static func readable(_ path: String) throws(BundleError) -> InfoPlist {
        if let plist = InfoPlist.read(path, speaker: nil) { return plist }
        try checkTrust(path)
        throw .unreadable(plist: path)
    }

    /// A registered app is launched later, unattended.
    private static func checkTrust(_ path: String) throws(BundleError) {
        do throws(TrustedPath.Failure) {
            try TrustedPath.check(path)
        } catch {
            if case .doubt(let doubt) = error { throw .untrusted(path: path, doubt) }
            throw .nothing(path: path)
        }
    }

    private static func check(_ executable: String) throws(BundleError) {
        guard isFile(executable), access(executable, X_OK) == 0 else { throw .notExecutable(path: executable) }
        let descriptor = open(executable, O_RDONLY | O_CLOEXEC)
        // An unreadable executable is not a script.
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var start: [UInt8] = [0, 0]
        if Glibc.read(descriptor, &start, 2) == 2, start == Array("#!".utf8) { throw .script(path: executable) }
    }

    private static func realPath(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func isFolder(_ path: String) -> Bool { kind(path) == S_IFDIR }
    private static func isFile(_ path: String) -> Bool { kind(path) == S_IFREG }

    private static func kind(_ path: String) -> mode_t? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }

    private static func lastComponent(_ path: String) -> String {
        path.pathParts.last ?? path
    }
}
