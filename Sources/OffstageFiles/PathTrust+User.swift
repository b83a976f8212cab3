// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageCore

extension PathTrust {
    /// The trust of the user that this process runs as.
    package static var ofThisUser: PathTrust {
        let user = geteuid()
        let root = FileStanding(lookingAt: "/")?.owner ?? 0
        return PathTrust(user: user, rootOwner: root) { UserNames.isAlone(user, inGroup: $0) }
    }
}
