// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageFiles

/// An app's executable, found on a path that only this user and the system may change, and held until it is started.
package final class AppExecutable: Sendable {
    /// As it was named.
    let path: String
    private let found: TrustedPath

    /// Its folder: a descriptor that is open as long as this object exists.
    var folder: Int32 { found.folder }
    /// Its name in the folder.
    var name: String { found.name }

    /// Checks the executable, the `Info.plist` that describes it, and every folder and link on the way to them.
    /// Blocking.
    ///
    /// - Throws: `.untrusted` if another user could have placed it, and `.executable`.
    package init(_ path: String) throws(LaunchError) {
        self.path = path
        do throws(TrustedPath.Failure) {
            found = try TrustedPath(path)
            if let plist = BundleFacts.plist(of: found.path) { try TrustedPath.check(plist) }
        } catch {
            switch error {
            case .doubt(let doubt): throw .untrusted(path, doubt)
            case .system(let code): throw .executable(path, code: code)
            }
        }
    }

    /// Why an executable would not be launched; nil if no obstacle is known. Blocking.
    static func problem(at path: String) -> String? {
        do throws(LaunchError) {
            _ = try AppExecutable(path)
            return nil
        } catch {
            return error.sentence
        }
    }

    /// The sentence about a program whose inspection has not ended: nothing is known, which differs from no problem.
    static func noAnswer(at path: String) -> String {
        "\(path.redactedControls) does not respond: check that its file system is mounted."
    }
}
