// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// A transfer waits for a file system that does not answer.
struct FileSystemStall {
    /// The file there.
    let path: String
    let since: Date
}
