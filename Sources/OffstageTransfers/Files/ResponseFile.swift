// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageCore

/// The file for the body of an upload's response that is too long for an answer.
///
/// Only the engine's thread touches it.
package final class ResponseFile {
    package let path: String
    private(set) var descriptor: Int32
    /// The common prefix of the names of all such files.
    static let prefix = "response-"

    /// The path for the body of a transfer's response, in the folder for its app's downloads.
    package static func path(folder: String, id: TransferID, storeToken: String) -> String {
        "\(folder)/response-\(storeToken)-\(id).body"
    }

    /// The transfer whose response is in a file with this name; nil for any other file.
    static func id(name: String, storeToken: String) -> TransferID? {
        let prefix = "response-\(storeToken)-"
        guard name.hasPrefix(prefix), name.hasSuffix(".body") else { return nil }
        return Int64(name.dropFirst(prefix.count).dropLast(5)).map(TransferID.init(rawValue:))
    }

    /// Creates the file, empty; nil with `errno` set if that fails.
    init?(path: String) {
        self.path = path
        // A file left by another attempt is not written to: a process that has it open keeps the old content.
        unlink(path)
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if descriptor < 0 { return nil }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Appends bytes; false with `errno` set if the write fails.
    func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var done = 0
        while done < bytes.count {
            let count = write(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            done += count
        }
        return true
    }

    /// Makes the whole file durable and closes it; false with `errno` set if that fails.
    func finish() -> Bool {
        guard fsync(descriptor) == 0 else { return false }
        close(descriptor)
        descriptor = -1
        guard let code = FileSaver.syncDirectory(of: path) else { return true }
        errno = code
        return false
    }

    /// Deletes the file.
    func discard() {
        unlink(path)
    }
}
