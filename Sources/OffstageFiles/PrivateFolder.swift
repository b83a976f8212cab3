// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageCore

/// Folders that only one user can access.
package enum PrivateFolder {
    /// The folder that cannot be created, and the system's reason.
    package struct Failure: Error, Sendable {
        package var path: String
        package var detail: String

        package init(path: String, detail: String) {
            self.path = path
            self.detail = detail
        }

        package var sentence: String {
            "The folder \(path) cannot be used (\(detail)): make it a directory that belongs to this user."
        }
    }

    /// Creates a folder and its parents, durably and for this user only: its contents must survive a power loss.
    ///
    /// - Parameters:
    ///   - path: the folder.
    ///   - mustSync: whether to sync existing folders, too: they may be new and not yet durable.
    ///
    /// Blocking, for at most two thirds of a second during a temporary shortage of descriptors or memory.
    /// - Throws: `Failure` with the first folder that cannot be created.
    package static func make(_ path: String, mustSync: Bool = false) throws(Failure) {
        var partial = ""
        for part in path.pathParts {
            partial += "/" + part
            let made: Bool? = Lack.waitedOut { offstage_make_folder(partial, mustSync ? 1 : 0) == 0 ? true : nil }
            if made == nil {
                throw Failure(path: partial, detail: String(cString: strerror(errno)))
            }
        }
    }
}
