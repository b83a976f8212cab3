// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageCore

/// Folders for one user alone.
package enum PrivateFolder {
    /// The folder that cannot be made, and what the system says.
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

    /// Makes a folder and its parents, for this user alone and durably: what is promised in it must outlive a power loss.
    ///
    /// - Parameters:
    ///   - path: the folder.
    ///   - mustSync: whether those are synced, too, that are there: nothing has been promised in them yet.
    ///
    /// Blocking, for two thirds of a second at most, while the system lacks what passes (descriptors, memory).
    /// - Throws: `Failure` with the first that cannot be made.
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
