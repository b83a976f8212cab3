// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageTestSupport

/// An app's end of its journal.
final class AppJournal {
    private let descriptor: Int32
    private let downloads: String
    private var sequence: UInt64 = 0

    init(descriptor: Int32, downloads: String) {
        (self.descriptor, self.downloads) = (descriptor, downloads)
    }

    deinit { close(descriptor) }

    /// A download, as a session's task hands it over.
    func spec(_ task: Int, of session: String) throws -> TransferSpec {
        var spec = TransferSpec(
            direction: .download(.init(path: "\(downloads)/CFNetworkDownload_\(session)\(task).tmp")),
            url: try RequestURL("http://127.0.0.1:9/\(task)"),
            owner: SessionStage.app
        )
        spec.sessionTask = SessionTaskKey(session: session, task: task)
        return spec
    }

    /// Hands a download over, as `resume()` does.
    func resume(_ task: Int, of session: String) throws { try append(.submit(spec(task, of: session))) }

    func append(_ entry: JournalEntry) throws { try write(try record(entry)) }

    /// The next record, as bytes.
    func record(_ entry: JournalEntry) throws -> [UInt8] {
        sequence += 1
        return try JournalRecord(entry, sequence: sequence).encoded()
    }

    /// Appends arbitrary bytes.
    func write(_ bytes: [UInt8]) throws {
        guard flock(descriptor, LOCK_EX) == 0, lseek(descriptor, 0, SEEK_END) >= 0,
            Glibc.write(descriptor, bytes, bytes.count) == bytes.count, flock(descriptor, LOCK_UN) == 0
        else { throw TestError.system("append to a journal") }
    }

    /// Locks the journal as a writer does, and is stopped.
    func lock() throws {
        guard flock(descriptor, LOCK_EX) == 0 else { throw TestError.system("lock a journal") }
    }

    func unlock() throws {
        guard flock(descriptor, LOCK_UN) == 0 else { throw TestError.system("unlock a journal") }
    }

    /// The journal's size, in bytes.
    var length: Int64 {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : -1
    }

    /// Whether it is sealed: a process that opens it anew cannot write to it.
    var isSealed: Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & 0o222 == 0
    }
}
