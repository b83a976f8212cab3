// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageProtocol

/// The file of a hand-over journal that the daemon has open. Every call may block: for workers, never the loop.
final class JournalFile: Sendable {
    let path: String
    private let descriptor: Int32

    /// The most records of one read.
    static let recordLimit = 512
    private static let usualLength = 262_144

    private init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Makes a journal, and opens it a second time for its client.
    ///
    /// A lock belongs to an open file description. If both shared one, the lock would not exclude either.
    static func make(_ path: String) -> (file: JournalFile, client: Int32)? {
        let own = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard own >= 0 else { return nil }
        let file = JournalFile(path: path, descriptor: own)
        let client = open(path, O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW)
        guard client >= 0 else {
            let code = errno
            unlink(path)
            errno = code
            return nil
        }
        return (file, client)
    }

    /// The result of opening a journal that an earlier daemon made.
    enum Existing: Sendable {
        case opened(JournalFile)
        /// There is no such file.
        case gone
        /// `errno`; the file may still exist.
        case failed(Int32)
        /// The file is of another kind, or belongs to another user: the reason, as the middle of a sentence.
        case unusable(String)
    }

    /// Opens a journal that an earlier daemon made; it may already be sealed.
    static func existing(_ path: String) -> Existing {
        // Do not block on a pipe.
        let own = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
        guard own >= 0 else {
            return switch errno {
            case ENOENT: .gone
            case ELOOP: .unusable("it is a link")
            case ENXIO, ENODEV, ENOTDIR: .unusable("it is not a regular file")
            default: .failed(errno)
            }
        }
        let file = JournalFile(path: path, descriptor: own)
        var status = stat()
        guard fstat(own, &status) == 0 else { return .failed(errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { return .unusable("it is not a regular file") }
        guard status.st_uid == geteuid() else { return .unusable("it belongs to another user") }
        return .opened(file)
    }

    /// Reads and decodes the next records.
    ///
    /// - Parameters:
    ///   - offset: the first byte to read.
    ///   - sequence: records up to this one are already in the store and are skipped.
    ///   - admission: which tasks may be imported.
    /// - Returns: the records; empty if no complete record follows the offset.
    func read(from offset: Int64, after sequence: UInt64, _ admission: SessionTaskAdmission) -> JournalChunk {
        var chunk = JournalChunk(end: offset, sequence: sequence)
        if length(after: offset) > JournalBudget().bytes {
            chunk.trouble = .tooLong
            return chunk
        }
        for length in [Self.usualLength, JournalScan.longestLook] {
            var failure: Int32 = 0
            let bytes = bytes(from: offset, length: length, &failure)
            if failure != 0 {
                chunk.trouble = .unreadable(failure)
                return chunk
            }
            parse(bytes[...], &chunk, admission, isAtEnd: bytes.count < length)
            // A record may be longer than a usual read.
            if chunk.end > offset || bytes.count < length { break }
        }
        return chunk
    }

    private func parse(
        _ bytes: ArraySlice<UInt8>,
        _ chunk: inout JournalChunk,
        _ admission: SessionTaskAdmission,
        isAtEnd: Bool
    ) {
        var (rest, isWhole) = (bytes, false)
        while chunk.count < Self.recordLimit, !rest.isEmpty {
            let step = JournalScan.next(in: rest, after: chunk.sequence, isWhole: isWhole)
            switch step {
            case .record(_, let length), .unknown(_, _, _, let length), .damaged(let length):
                chunk.add(step, length: length, admission)
                rest = rest.dropFirst(length)
            case .incomplete:
                // checked: read up to there
                guard isAtEnd, !isWhole, isSettled(size: chunk.end + Int64(rest.count)) else { return }
                isWhole = true
            }
        }
    }

    /// Whether the file has this size and no process is writing to it. An incomplete record then stays incomplete.
    private func isSettled(size: Int64) -> Bool {
        guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else { return false }
        defer { flock(descriptor, LOCK_UN) }
        var status = stat()
        return fstat(descriptor, &status) == 0 && Int64(status.st_size) == size  // checked: widening
    }

    private func bytes(from offset: Int64, length: Int, _ failure: inout Int32) -> [UInt8] {
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: length) { buffer, used in
            used = 0
            while used < length {
                let count = pread(descriptor, buffer.baseAddress.map { $0 + used }, length - used, off_t(offset) + used)
                if count < 0, errno == EINTR { continue }
                if count < 0 { code = errno }
                guard count > 0 else { return }
                used += count
            }
        }
        failure = code
        return bytes
    }

    /// Empties the journal if it has this size and no process is writing to it. Returns whether it did.
    func empty(ifSize size: Int64) -> Bool {
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return false }
        defer { flock(descriptor, LOCK_UN) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, Int64(status.st_size) == size else { return false }
        return ftruncate(descriptor, 0) == 0
    }

    /// Removes write permission. A client checks it, under the same lock, before it writes.
    ///
    /// - Returns: false if a process is writing.
    func seal() -> Bool {
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return false }
        defer { flock(descriptor, LOCK_UN) }
        return fchmod(descriptor, 0o400) == 0
    }

    /// Marks the file as completely stored: the next daemon deletes it, even if it finds no entry for it.
    ///
    /// The mark is its mode, because a sealed journal can no longer be opened for writing. It remains sealed.
    func finish() { fchmod(descriptor, Self.finished) }

    /// The mode of a journal that is completely in the store.
    private static let finished: mode_t = 0o500

    func delete() { unlink(path) }

    /// Deletes a journal without an entry in the store, or keeps it under another name if it may hold data that is not
    /// in the store.
    ///
    /// It is not imported: only its entry recorded its owner and how far it had been imported. Its writer's own claim
    /// does not count, and a task that has since ended and been forgotten would be carried out once more.
    ///
    /// - Returns: whether it is kept.
    static func settle(withoutEntry path: String) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o777 != finished else {
            unlink(path)
            return false
        }
        // Its app may still have it open: whatever it hands over from now on belongs in another journal.
        chmod(path, 0o400)
        // An empty journal was never given to an app, or is completely in the store.
        if lstat(path, &status) == 0, status.st_size == 0 {
            unlink(path)
            return false
        }
        setAside(path)
        return true
    }

    /// Keeps a journal that cannot be imported, under another name, for a person to inspect.
    static func setAside(_ path: String) {
        let kept = path + asideSuffix  // checked: texts
        rename(path, kept)
        // It is kept for a time that begins now, not when it was last written to.
        utimensat(AT_FDCWD, kept, nil, AT_SYMLINK_NOFOLLOW)
    }

    static let asideSuffix = ".damaged"

    /// The number of bytes after an offset: a record that a crash truncated.
    func length(after offset: Int64) -> Int64 {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? max(0, Int64(status.st_size) - offset) : 0
    }
}
