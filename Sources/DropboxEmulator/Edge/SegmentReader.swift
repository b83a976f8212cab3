// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Reads stored extents one after the other. Used only by one connection's thread.
final class SegmentReader {
    private let folder: SegmentFolder
    private let extents: [StoredExtent]
    private var current = 0
    /// Bytes read from the current extent.
    private var done: Int64 = 0
    private var descriptor: Int32 = -1

    init(_ extents: [StoredExtent], in folder: SegmentFolder) {
        self.extents = extents
        self.folder = folder
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    var length: Int64 { extents.reduce(0) { $0 + $1.length } }

    /// - Returns: bytes that were read; 0 at the end, negative when a segment is gone.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        while current < extents.count {
            let extent = extents[current]
            let rest = extent.length - done
            if rest == 0 {
                if descriptor >= 0 { close(descriptor) }
                descriptor = -1
                done = 0
                current += 1
                continue
            }
            guard let segment = extent.segment else { return -1 }
            if descriptor < 0 { descriptor = folder.read(segment) }
            let count = pread(
                descriptor,
                buffer.baseAddress,
                min(buffer.count, Int(rest)),
                off_t(extent.offset + done)
            )
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return -1 }
            done += Int64(count)
            return count
        }
        return 0
    }
}
