// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageFiles

/// The body of an upload's response on the disk: its app is given the whole of it, however long it is.
///
/// Its file begins to exist when the answer cannot hold the body any more.
struct AnswerSpool {
    /// Why the body does not go on to the disk.
    enum Problem {
        /// The errno of what failed.
        case cannotWrite(Int32)
        /// There is a limit to one body.
        case tooLong
        /// What the owner has not taken yet has all the bytes that it may have.
        case tooMuchKept
        /// The disk has room, but what is left is not for servers to fill.
        case noRoom(DiskRoom, path: String)
    }

    private enum State {
        /// While it arrives.
        case open(ResponseFile)
        /// All of it is on the disk.
        case whole(path: String)
    }

    private var state: State?
    /// Bytes of it that are on the disk.
    private var bytes = 0
    private var room = RoomWatch()
    /// What lies on the disk of answers.
    private let book: SpoolBook

    init(_ book: SpoolBook) { self.book = book }

    /// Whether there is a file.
    var isBegun: Bool { state != nil }

    /// Whether more of the body goes to the file.
    var isOpen: Bool {
        if case .open? = state { true } else { false }
    }

    /// The file that has the whole body; nil where there is none.
    var path: String? {
        if case .whole(let path)? = state { path } else { nil }
    }

    /// Makes the file, and writes the beginning of the body to it.
    mutating func begin(at path: String, with start: [UInt8]) -> Problem? {
        guard let file = ResponseFile(path: path) else { return .cannotWrite(errno) }
        state = .open(file)
        return start.withUnsafeBytes(file.append) ? nil : .cannotWrite(errno)
    }

    /// Writes a piece of the body.
    ///
    /// - Parameters:
    ///   - piece: what has come.
    ///   - length: bytes of the body, with the piece.
    /// - Returns: why the body does not go on; nil where it does.
    mutating func append(_ piece: UnsafeRawBufferPointer, length: Int64) -> Problem? {
        guard case .open(let file)? = state else { return nil }
        let kept = book.add(piece.count, in: FileSaver.directory(of: file.path), limit: AnswerBudget.perOwner)
        bytes += piece.count  // checked: the budget of an owner is far below the end
        switch AnswerBudget.verdict(answer: length, owner: kept) {
        case .keep: break
        case .tooLong: return .tooLong
        case .tooMuchKept: return .tooMuchKept
        }
        if let room = room.shortage(after: piece.count, of: file.descriptor) { return .noRoom(room, path: file.path) }
        return file.append(piece) ? nil : .cannotWrite(errno)
    }

    /// Makes the body durable, before anybody is told of it.
    mutating func finish() -> Problem? {
        guard case .open(let file)? = state else { return nil }
        guard file.finish() else { return .cannotWrite(errno) }
        state = .whole(path: file.path)
        return nil
    }

    /// Deletes what was written, unless it has become part of the answer.
    mutating func discard() {
        guard case .open(let file)? = state else { return }
        file.discard()
        book.remove(bytes, in: FileSaver.directory(of: file.path))
        bytes = 0
        state = nil
    }
}
