// SPDX-License-Identifier: Apache-2.0

extension Transfer {
    /// Whether the partial file holds all received data, as far as the page cache goes: it was written in this boot.
    ///
    /// The end of the download is committed before the file is synced. After a power loss in between, the file may be
    /// shorter, or hold zeros, and its length says nothing.
    package func holdsPartialFile(bootID: String) -> Bool { partial?.bootID == bootID }
}
