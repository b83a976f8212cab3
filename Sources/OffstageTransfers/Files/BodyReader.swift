// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageCore
import OffstageFiles

/// Reads the body of a request in pieces from any position, and checks whether its files are those handed over.
///
/// Keeps at most one file open in addition to the attempt's own, however many a form has. Only the engine's thread uses
/// it.
package final class BodyReader {
    package let count: Int64
    private let segments: [RequestBody.Segment]
    /// The start of each segment in the body.
    private let starts: [Int64]
    /// The attempt's own file, which stays open.
    private let descriptor: Int32
    private let path: String
    /// The file of the last segment read, if it is not the attempt's own.
    private var open: (source: TransferSpec.UploadSource, descriptor: Int32)?
    /// The last segment read.
    private var index = 0

    /// - Parameters:
    ///   - body: the body to read.
    ///   - path: the path of the attempt's own file.
    ///   - descriptor: that file, open for reading; -1 for none.
    package init(_ body: RequestBody, path: String, descriptor: Int32) {
        segments = body.segments
        var starts: [Int64] = []
        var count: Int64 = 0
        for segment in body.segments {
            starts.append(count)
            count += segment.count
        }
        self.starts = starts
        self.count = count
        self.path = path
        self.descriptor = descriptor
    }

    deinit { closeOpened() }

    /// Copies bytes from a position; 0 bytes at the end.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) -> Result<Int, TransferFailure> {
        guard position < count, !buffer.isEmpty else { return .success(0) }
        seek(to: position)
        let offset = position - starts[index]
        let wanted = Int(min(Int64(buffer.count), segments[index].count - offset))
        switch segments[index] {
        case .bytes(let bytes):
            buffer.copyBytes(from: bytes[Int(offset)..<Int(offset) + wanted])
            return .success(wanted)
        case .file(let range):
            return read(range, at: range.offset + offset, into: .init(rebasing: buffer[..<wanted]))
        }
    }

    /// Why the files are not the ones handed over; nil if they are.
    ///
    /// Needs one `stat` per file, on the engine's thread while the other attempts wait: at most 1,000 for a form
    /// (`FormBody.mostParts`). That takes a few milliseconds if the names are cached, more on a slow or network disk. A
    /// worker could do it if attempts had a state for waiting for one.
    package func sourceFailure() -> TransferFailure? {
        var last: TransferSpec.UploadSource?
        for case .file(let range) in segments where range.source != last {
            last = range.source
            if let failure = failure(of: range.source) { return failure }
        }
        return nil
    }

    private func seek(to position: Int64) {
        if position < starts[index] { index = 0 }
        while position >= starts[index] + segments[index].count { index += 1 }
    }

    private func read(
        _ range: RequestBody.FileRange,
        at offset: Int64,
        into buffer: UnsafeMutableRawBufferPointer
    ) -> Result<Int, TransferFailure> {
        let descriptor: Int32
        switch file(of: range.source) {
        case .success(let opened): descriptor = opened
        case .failure(let failure): return .failure(failure)
        }
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            if count < 0, errno == EINTR { continue }
            if count > 0 { return .success(count) }
            let name = range.source.path.redactedControls
            return .failure(
                count == 0
                    ? .init(.sourceChanged, "\(name) became shorter while it was being sent")
                    : FileTrouble.ofSource(errno, range.source.path)
            )
        }
    }

    private func file(of source: TransferSpec.UploadSource) -> Result<Int32, TransferFailure> {
        if source.path == path, descriptor >= 0 { return .success(descriptor) }
        if let open, open.source == source { return .success(open.descriptor) }
        closeOpened()
        return AttemptFiles.openSource(source).map { opened in
            open = (source, opened.fileDescriptor)
            return opened.fileDescriptor
        }
    }

    private func closeOpened() {
        if let open { close(open.descriptor) }
        open = nil
    }

    private func failure(of source: TransferSpec.UploadSource) -> TransferFailure? {
        var status = stat()
        let name = source.path.redactedControls
        if source.path == path, descriptor >= 0 {
            guard fstat(descriptor, &status) == 0, FileIdentity(status) == source.identity else {
                return .init(.sourceChanged, "\(name) was changed while it was being sent")
            }
        }
        guard stat(source.path, &status) == 0 else {
            return errno == ENOENT
                ? .init(.sourceMissing, "\(name) was deleted while it was being sent")
                : FileTrouble.ofSource(errno, source.path)
        }
        guard FileIdentity(status) == source.identity else {
            return .init(
                .sourceChanged,
                source.identity.isSameFile(as: FileIdentity(status))
                    ? "\(name) was changed while it was being sent" : "\(name) was replaced while it was being sent"
            )
        }
        return nil
    }
}
