// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Receives a request's body according to the plan of its call: hashes it, and writes it to a segment.
///
/// Used only by the connection's thread.
package final class BodyReceiver {
    /// JSON arguments and forms are cut off here, which makes longer ones invalid.
    private static let maximumBytes = 4 << 20

    private let call: EmulatorCall
    /// Nil where bytes are discarded.
    private let folder: SegmentFolder?
    /// Bytes beyond it are refused anyway, and are only counted.
    private let limit: Int64
    private var parts: [ReceivedBody.Part]
    private var current = 0
    /// Hashes all bytes; nil where the hasher of the only part does.
    private var whole: ContentHasher?
    private var bytes: [UInt8] = []
    private var descriptor: Int32 = -1
    private var segment: String?
    private(set) var length: Int64 = 0
    /// Why bytes could not be kept.
    private(set) var failure: DropboxEmulatorError?

    init(_ call: EmulatorCall, folder: SegmentFolder?, limit: Int64) {
        self.call = call
        self.folder = folder
        self.limit = limit
        parts = call.parts.map { ReceivedBody.Part(length: 0, hasher: $0.hasher, offset: 0) }
        let isTold = parts.count == 1 && call.parts[0].length == nil && isAtBlock(call.parts[0].hasher)
        if !isTold, !parts.isEmpty { whole = ContentHasher() }
    }

    /// Keeps only the hash of the bytes, for a caller that drives the emulator without its server.
    package convenience init(_ call: EmulatorCall, limit: Int64) { self.init(call, folder: nil, limit: limit) }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    package func receive(_ bytes: UnsafeRawBufferPointer) {
        length += Int64(bytes.count)
        if call.needsBytes, self.bytes.count + bytes.count <= Self.maximumBytes { self.bytes += bytes }
        guard !parts.isEmpty, length <= limit, failure == nil else { return }
        whole?.update(bytes)
        var rest = bytes
        while !rest.isEmpty, current < parts.count {
            let room = call.parts[current].length.map { $0 - parts[current].length } ?? .max
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(Int(min(room, Int64(rest.count)))))
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(piece.count))
            parts[current].hasher.update(piece)
            parts[current].length += Int64(piece.count)
            if call.parts[current].length == parts[current].length {
                current += 1
                if current < parts.count {
                    parts[current].offset = parts[current - 1].offset + parts[current - 1].length
                }
            }
        }
        if folder != nil { write(bytes) }
    }

    /// The body as received; nothing may follow.
    package func result(isWhole: Bool) -> ReceivedBody {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
        var body = ReceivedBody(length: length, parts: parts, segment: segment, bytes: bytes, isWhole: isWhole)
        if let whole {
            body.contentHash = whole.contentHash()
        } else if let part = parts.first {
            body.contentHash = part.hasher.contentHash(
                fromBlock: Int(call.parts[0].hasher.count / ContentHasher.blockSize)
            )
        } else if length == 0 {
            body.contentHash = ContentHasher().contentHash()
        }
        return body
    }

    private func write(_ bytes: UnsafeRawBufferPointer) {
        do throws(DropboxEmulatorError) {
            if descriptor < 0, let folder {
                let made = try folder.create(call.number)
                (segment, descriptor) = (made.name, made.descriptor)
            }
            var rest = bytes
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw .system("The body cannot be written to \(folder?.path ?? "")") }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            }
        } catch {
            failure = error
        }
    }
}

private func isAtBlock(_ hasher: ContentHasher) -> Bool { hasher.count % ContentHasher.blockSize == 0 }
