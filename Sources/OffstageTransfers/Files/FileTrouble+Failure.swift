// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageFiles

/// Maps file errors to transfer failures.
extension FileTrouble {
    /// The failure if a source file cannot be opened or read.
    static func ofSource(_ code: Int32, _ path: String) -> TransferFailure {
        let name = path.redactedControls
        if FileTrouble(code) == .passing {
            return .init(.daemonInterrupted, "\(name) could not be read just now (\(text(code)))")
        }
        return switch code {
        case ENOENT, ENOTDIR: .init(.sourceMissing, "\(name) no longer exists")
        case EISDIR: .init(.sourceIsDirectory, "\(name) is a directory")
        default: .init(.sourceUnreadable, "\(name) cannot be read (\(text(code)))")
        }
    }

    /// The failure if a file cannot be created, written, synced or renamed.
    static func ofTarget(_ code: Int32, _ path: String) -> TransferFailure {
        let name = path.redactedControls
        if FileTrouble(code) == .passing {
            return .init(.daemonInterrupted, "\(name) could not be written just now (\(text(code)))")
        }
        return switch code {
        case ENOENT, ENOTDIR: .init(.targetDirectoryMissing, "the directory of \(name) does not exist")
        case ENOSPC: .init(.diskFull, "the disk is full where \(name) should go")
        case EDQUOT: .init(.diskFull, "this user's disk quota is used up where \(name) should go")
        case EEXIST: .init(.targetExists, "\(name) already exists")
        case EFBIG:
            .init(
                .targetNotWritable,
                "\(name) is larger than its file system allows, or 'ulimit -f' where the daemon was started"
            )
        default: .init(.targetNotWritable, "\(name) cannot be written (\(text(code)))")
        }
    }

    /// The same for a file that is being written; `progress` states how far it got, as the end of a sentence.
    static func ofWriting(_ code: Int32, _ path: String, _ progress: String) -> TransferFailure {
        let name = path.redactedControls
        return switch code {
        case ENOSPC: .init(.diskFull, "the disk of \(name) is full \(progress)")
        case EDQUOT: .init(.diskFull, "this user's disk quota for \(name) is used up \(progress)")
        default: ofTarget(code, path)
        }
    }

    static func text(_ code: Int32) -> String { String(cString: strerror(code)) }
}
