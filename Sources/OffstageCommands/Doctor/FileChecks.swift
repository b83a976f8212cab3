// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageClient
package import OffstageCore
import OffstageFiles

/// Checks a daemon's folders and files, without changing them.
package enum FileChecks {
    package static func all(_ paths: OffstagePaths, _ context: CommandContext) -> [Finding] {
        var findings = [
            Finding(
                .ok,
                "paths",
                "decided by \(paths.decidedBy): store \(paths.store), settings \(paths.settings), log \(paths.log)"
            )
        ]
        let socket = socketOfDaemon(paths)
        if let socket { findings.append(Finding(.ok, "socket", "the daemon listens at \(socket)")) }
        var seen: Set<String> = []
        for (subject, path) in [
            ("data folder", paths.store), ("socket folder", socket ?? paths.socket), ("log folder", paths.log),
        ] {
            let folder = Self.folder(of: path)
            if seen.insert(folder).inserted { findings.append(self.folder(subject, folder)) }
        }
        findings += [settings(paths), program(paths, context), store(paths), space(paths)]
        return findings
    }

    /// The socket reported by a running daemon, which may differ from this environment's; nil if there is none.
    private static func socketOfDaemon(_ paths: OffstagePaths) -> String? {
        guard LockFile.isHeld(paths.lock) else { return nil }
        return LockFile.address(in: paths.lock)?.socket
    }

    /// An existing folder must be accessible to this user only; a missing one will be created.
    package static func folder(_ subject: String, _ path: String) -> Finding {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            guard errno == ENOENT else {
                return Finding(
                    .fail,
                    subject,
                    "\(path) cannot be examined (\(String(cString: strerror(errno))))",
                    advice: "Check the permissions of its parent folders."
                )
            }
            let parent = nearestParent(path)
            return access(parent, W_OK | X_OK) == 0
                ? Finding(.ok, subject, "\(path) will be created when it is needed")
                : Finding(
                    .fail,
                    subject,
                    "\(path) does not exist and \(parent) is not writable",
                    advice: "Create the folder for this user, or set OFFSTAGE_HOME to another place."
                )
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            return Finding(.fail, subject, "\(path) is not a directory", advice: "Move it away.")
        }
        guard status.st_uid == geteuid() else {
            return Finding(
                .fail,
                subject,
                "\(path) belongs to user \(status.st_uid), not to this user",
                advice: "Set OFFSTAGE_HOME to a folder of your own, or change its owner."
            )
        }
        guard access(path, W_OK | X_OK) == 0 else {
            return Finding(.fail, subject, "\(path) cannot be written", advice: "Make it writable for this user.")
        }
        guard status.st_mode & 0o077 == 0 else {
            return Finding(
                .warn,
                subject,
                "\(path) is accessible to others (mode \(String(status.st_mode & 0o777, radix: 8)))",
                advice: "chmod 700 \(path); a daemon does so when it starts."
            )
        }
        return Finding(.ok, subject, "\(path) is accessible to this user only")
    }

    private static func nearestParent(_ path: String) -> String {
        var parent = folder(of: path)
        while parent != "/", access(parent, F_OK) != 0 { parent = folder(of: parent) }
        return parent
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastSlash, slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    private static func settings(_ paths: OffstagePaths) -> Finding {
        guard access(paths.settings, F_OK) == 0 else {
            return Finding(.ok, "settings", "there is no \(paths.settings); the defaults apply")
        }
        do {
            do throws(TrustedPath.Failure) {
                try TrustedPath.check(paths.settings)
            } catch {
                switch error {
                case .doubt(.kind), .system: break
                case .doubt(let doubt): throw SettingsError.untrusted(path: paths.settings, doubt)
                }
            }
            let bytes = try FileBytes.read(paths.settings, limit: 1 << 20)
            _ = try Settings.parse(bytes, path: paths.settings)
            return Finding(.ok, "settings", "\(paths.settings) is valid")
        } catch let error as SettingsError {
            return Finding(.fail, "settings", error.sentence, advice: "No daemon starts until this is fixed.")
        } catch {
            return Finding(
                .fail,
                "settings",
                "\(paths.settings) cannot be read",
                advice: "Make it readable for this user."
            )
        }
    }

    private static func program(_ paths: OffstagePaths, _ context: CommandContext) -> Finding {
        do throws(OffstageError) {
            return Finding(
                .ok,
                "program",
                try DaemonLauncher(paths: paths, environment: context.environment).executable()
            )
        } catch {
            return Finding(
                .fail,
                "program",
                error.description,
                advice: "Without it no daemon can be started on demand."
            )
        }
    }

    private static func store(_ paths: OffstagePaths) -> Finding {
        var status = stat()
        guard stat(paths.store, &status) == 0 else {
            return Finding(.ok, "store", "it does not exist yet; the first transfer creates it")
        }
        guard status.st_uid == geteuid(), access(paths.store, R_OK | W_OK) == 0 else {
            return Finding(
                .fail,
                "store",
                "\(paths.store) cannot be written by this user",
                advice: "Change its owner or its mode."
            )
        }
        var log = stat()
        let pending = stat(paths.store + "-wal", &log) == 0 ? Int64(log.st_size) : 0
        return Finding(.ok, "store", "\(paths.store), \(Format.bytes(Int64(status.st_size) + pending))")
    }

    private static func space(_ paths: OffstagePaths) -> Finding {
        var status = statvfs()
        let folder = access(paths.store, F_OK) == 0 ? self.folder(of: paths.store) : nearestParent(paths.store)
        guard statvfs(folder, &status) == 0 else { return Finding(.warn, "free space", "unknown for \(folder)") }
        let free = Int64(clamping: UInt64(status.f_bavail) &* UInt64(status.f_frsize))
        let text = "\(Format.bytes(free)) on the store's disk"
        if free < 10 << 20 {
            return Finding(.fail, "free space", text, advice: "Free some space: the daemon may be unable to commit.")
        }
        if free < 200 << 20 { return Finding(.warn, "free space", text, advice: "Free some space soon.") }
        return Finding(.ok, "free space", text)
    }
}
