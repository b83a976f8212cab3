// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageFiles

/// An app's executable, found on a path that only this user and the system may change, and held until it is started.
package final class AppExecutable: Sendable {
    /// As it was named.
    let path: String
    private let found: TrustedPath

    /// Its folder: a descriptor that lives as long as this object.
    var folder: Int32 { found.folder }
    /// Its name there.
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

    /// Why an executable would not be launched; nil if nothing is known to prevent that. Blocking.
    static func problem(at path: String) -> String? {
        do throws(LaunchError) {
            _ = try AppExecutable(path)
            return nil
        } catch {
            return error.sentence
        }
    }

    /// What is known of a program if the look at it has not ended: nothing, which is another answer than no problem.
    static func noAnswer(at path: String) -> String {
        "\(path.redactedControls) does not respond: check that its file system is mounted."
    }
}
