// SPDX-License-Identifier: Apache-2.0

/// The parts of a request's body, in order. The body's length is known before the first byte is sent.
package struct RequestBody: Sendable, Equatable {
    /// A piece of the body.
    package enum Segment: Sendable, Equatable {
        case bytes([UInt8])
        case file(FileRange)

        package var count: Int64 {
            switch self {
            case .bytes(let bytes): Int64(bytes.count)
            case .file(let range): range.count
            }
        }
    }

    /// A range of a file that must be unchanged since it was handed over.
    package struct FileRange: Sendable, Equatable {
        package var source: TransferSpec.UploadSource
        package var offset: Int64
        package var count: Int64

        package init(_ source: TransferSpec.UploadSource, offset: Int64 = 0, count: Int64) {
            self.source = source
            self.offset = ByteCounts.nearest(to: offset)
            self.count = ByteCounts.nearest(to: count)
        }
    }

    package var segments: [Segment]

    package init(_ segments: [Segment] = []) { self.segments = segments }

    /// A body that is a whole file.
    package init(_ source: TransferSpec.UploadSource) {
        self.init([.file(FileRange(source, count: source.identity.size))])
    }

    /// `Content-Length`, in bytes.
    package var count: Int64 { segments.reduce(0) { $0.addingClamped($1.count) } }
}
