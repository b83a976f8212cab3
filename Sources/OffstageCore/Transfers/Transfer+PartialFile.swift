// SPDX-License-Identifier: Apache-2.0

extension Transfer {
    /// Whether the partial file holds what has arrived, as far as the page cache goes: it was written in this boot.
    ///
    /// That all of it has arrived is committed before the file is synced. After a power loss in between, the file may
    /// be shorter, or hold zeros, and its length says nothing.
    package func holdsPartialFile(bootID: String) -> Bool { partial?.bootID == bootID }
}
