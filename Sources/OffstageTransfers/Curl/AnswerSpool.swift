// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageFiles

/// Spools the body of an upload's response to disk: the app receives the whole body, however long it is.
///
/// The file is created once the answer cannot hold the body any more.
package struct AnswerSpool {
    /// Why the rest of the body is not spooled.
    package enum Problem {
        /// The errno of the failed call.
        case cannotWrite(Int32)
        /// The body exceeds the limit for one answer.
        case tooLong
        /// Answers that the owner has not taken yet use up its budget.
        case tooMuchKept
        /// The remaining room on the disk is reserved: servers must not fill it.
        case noRoom(DiskRoom, path: String)
    }

    private enum State {
        /// The body is still arriving.
        case open(ResponseFile)
        /// The whole body is on the disk.
        case whole(path: String)
    }

    private var state: State?
    /// Bytes of the body on the disk.
    private var bytes = 0
    private var room = RoomWatch()
    /// Tracks the bytes of answers on the disk.
    private let book: SpoolBook
    /// The maximum of such bytes per owner.
    private let limit: Int64

    package init(_ book: SpoolBook, limit: Int64 = AnswerBudget.perOwner) {
        self.book = book
        self.limit = limit
    }

    /// Whether the file has been created.
    var isBegun: Bool { state != nil }

    /// Whether more of the body goes to the file.
    var isOpen: Bool {
        if case .open? = state { true } else { false }
    }

    /// The path of the file with the whole body; nil if there is none.
    var path: String? {
        if case .whole(let path)? = state { path } else { nil }
    }

    /// Creates the file and writes the beginning of the body to it.
    ///
    /// - Parameters:
    ///   - path: a new file in the folder of the owner's answers.
    ///   - start: the bytes that have arrived.
    /// - Returns: why spooling stops; nil if it continues.
    package mutating func begin(at path: String, with start: [UInt8]) -> Problem? {
        guard let file = ResponseFile(path: path) else { return .cannotWrite(errno) }
        state = .open(file)
        return start.withUnsafeBytes { write($0, to: file, length: Int64(clamping: start.count)) }
    }

    /// Writes a piece of the body.
    ///
    /// - Parameters:
    ///   - piece: the received bytes.
    ///   - length: bytes of the body, including the piece.
    /// - Returns: why spooling stops; nil if it continues.
    package mutating func append(_ piece: UnsafeRawBufferPointer, length: Int64) -> Problem? {
        guard case .open(let file)? = state else { return nil }
        return write(piece, to: file, length: length)
    }

    private mutating func write(_ piece: UnsafeRawBufferPointer, to file: ResponseFile, length: Int64) -> Problem? {
        let kept = book.add(piece.count, in: FileSaver.directory(of: file.path), limit: limit)
        // The book does not count bytes that it has refused.
        if kept <= limit { bytes += piece.count }  // checked: the budget of an owner is far below the end
        switch AnswerBudget.verdict(answer: length, owner: kept, limit: limit) {
        case .keep: break
        case .tooLong: return .tooLong
        case .tooMuchKept: return .tooMuchKept
        }
        if let room = room.shortage(after: piece.count, of: file.descriptor) { return .noRoom(room, path: file.path) }
        return file.append(piece) ? nil : .cannotWrite(errno)
    }

    /// Makes the body durable before anything is reported about it.
    package mutating func finish() -> Problem? {
        guard case .open(let file)? = state else { return nil }
        guard file.finish() else { return .cannotWrite(errno) }
        state = .whole(path: file.path)
        return nil
    }

    /// Deletes the file, unless it has become part of the answer.
    package mutating func discard() {
        guard case .open(let file)? = state else { return }
        file.discard()
        book.remove(bytes, in: FileSaver.directory(of: file.path))
        bytes = 0
        state = nil
    }
}
