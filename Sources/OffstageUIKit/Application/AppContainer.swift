// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import OffstageClient
import OffstageCore
import OffstageFiles

/// The app's own folders, as on a phone: `Documents`, `Library` and `tmp` in a container that no other app shares.
///
/// <https://developer.apple.com/library/archive/documentation/FileManagement/Conceptual/FileSystemProgrammingGuide/FileSystemOverview/FileSystemOverview.html>
enum AppContainer {
    /// The variables from which Foundation derives folders, and the folders' locations in the container.
    private static let variables = [
        ("CFFIXED_USER_HOME", ""), ("XDG_DATA_HOME", "/Library/Application Support"),
        ("XDG_CACHE_HOME", "/Library/Caches"), ("TMPDIR", "/tmp"),
    ]
    private static let folders = [
        "", "/Documents", "/Library", "/Library/Application Support", "/Library/Caches", "/tmp",
    ]

    /// Creates the folders and makes Foundation use them. Call this on the main thread before the app's code runs.
    ///
    /// - Parameter app: the identifier by which the daemon knows the app.
    static func enter(of app: String) {
        // The original environment is preserved, since it is needed to find the daemon.
        let environment = OriginalEnvironment.variables
        do throws(SettingsError) {
            let paths = try OffstagePaths.ofThisUser(environment)
            let path = paths.container(of: app)
            guard make(path, below: paths.containers) else { return complain(path, errno) }
            for (name, place) in variables { setenv(name, path + place, 1) }
        } catch {
            Stage.complain("The app has no folders of its own: \(error.sentence)")
        }
    }

    private static func make(_ path: String, below parent: String) -> Bool {
        for folder in [parent] + folders.map({ path + $0 }) where mkdir(folder, 0o700) != 0 && errno != EEXIST {
            return false
        }
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
    }

    private static func complain(_ path: String, _ code: Int32) {
        Stage.complain(
            "The app has no folders of its own, since \(path) cannot be made (\(String(cString: strerror(code)))): its documents are the user's."
        )
    }
}
