// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// The files that one command line sends, and the private copies made of them.
package struct UploadSources {
    /// The folder of private copies; nil if the files themselves are sent.
    private let snapshotFolder: String?
    /// The copies so far, which are deleted if the daemon does not take them over.
    package private(set) var snapshots: [String] = []

    package init(snapshotFolder: String?) {
        self.snapshotFolder = snapshotFolder
    }

    /// A private file with this content, in the folder of private copies.
    package mutating func source(
        _ bytes: [UInt8],
        in folder: String
    ) throws(CommandFailure) -> TransferSpec.UploadSource {
        let copy = try SnapshotFile.make(with: bytes, in: folder)
        snapshots.append(copy.path)
        return .init(path: copy.path, identity: copy.identity, isSnapshot: true)
    }

    /// A file as it is now, or a copy of it.
    package mutating func source(_ path: String) throws(CommandFailure) -> TransferSpec.UploadSource {
        guard let snapshotFolder else { return .init(path: path, identity: try SourceFile.identity(path)) }
        let copy = try SnapshotFile.make(of: path, in: snapshotFolder)
        snapshots.append(copy.path)
        return .init(path: copy.path, identity: copy.identity, isSnapshot: true)
    }
}
