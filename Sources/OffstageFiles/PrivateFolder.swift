// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageCore

/// Folders for one user alone.
package enum PrivateFolder {
    /// The folder that cannot be made, and the system's reason.
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

    /// Makes a folder and its parents, durably and for this user alone: its contents must survive a power loss.
    ///
    /// - Parameters:
    ///   - path: the folder.
    ///   - mustSync: whether existing folders are synced, too: they may be new, with nothing durable in them yet.
    ///
    /// Blocking, for at most two thirds of a second while the system lacks descriptors or memory, which passes.
    /// - Throws: `Failure` with the first folder that cannot be made.
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
