// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// A transfer's wait for an unresponsive file system.
struct FileSystemStall {
    /// The transfer's file there.
    let path: String
    let since: Date
}
