// SPDX-License-Identifier: Apache-2.0
public import Foundation
import Glibc
import OffstageClient
import OffstageCore
import OffstageFiles

extension FileManager {
    /// The folder that the user's apps that name this group share. It is created on first use. Safe to call from any
    /// thread.
    ///
    /// <https://developer.apple.com/documentation/foundation/filemanager/containerurl(forsecurityapplicationgroupidentifier:)>:
    /// there an app needs an entitlement for the group; here the user's apps are not separated, and naming the group is
    /// enough.
    ///
    /// - Parameter groupIdentifier: the group's name, such as `group.com.example.photos`.
    /// - Returns: the folder's URL; nil if the name is empty or the folder cannot be created.
    public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? {
        guard !groupIdentifier.isEmpty, let paths = try? OffstagePaths.ofThisUser(OriginalEnvironment.variables)
        else { return nil }
        let path = paths.group(groupIdentifier)
        for folder in [paths.groups, path, path + "/Library", path + "/Library/Caches"] {
            // The data folder belongs to the daemon, which may not have run yet.
            let isMade = folder == paths.groups ? makeWhole(folder) : mkdir(folder, 0o700) == 0 || errno == EEXIST
            guard isMade else { return nil }
        }
        return URL(fileURLWithPath: path, isDirectory: true)
    }

    private func makeWhole(_ folder: String) -> Bool {
        (try? createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )) != nil
    }
}
