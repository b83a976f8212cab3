// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTransfers

/// The lines that a server sends before a body, as libcurl passes them, with interim responses, continued lines and
/// trailers, and their consequences for a partial file. The known facts of that file come first, up to a NUL.
enum ResponseHeadTarget {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var input = FuzzInput(bytes)
        let offset = input.count()
        let size = input.count()
        let partial = partial(&input)
        var collector = HeadCollector()
        while !input.isAtEnd {
            let line = input.part(endingAt: UInt8(ascii: "\n"))
            let end = UnsafeRawBufferPointer(start: line.baseAddress, count: line.count + (input.isAtEnd ? 0 : 1))
            guard collector.receive(end, isTrailer: false) else { return }
        }
        let head = ResponseHead(
            status: collector.status,
            headers: collector.fields,
            isAmbiguous: collector.isAmbiguous
        )
        _ = collector.httpVersion
        _ = head.retryAfterSeconds
        _ = (head.statedLength, head.contentRange)
        _ = head.validator
        _ = AuthenticationOffer.offers(in: head.headers)
        if let name = ContentDisposition.fileName(in: head.headers) {
            let isPlain = !name.utf8.contains { $0 < 32 || $0 == UInt8(ascii: "/") || $0 == 127 }
            let isSafe = isPlain && !name.isEmpty && !name.hasPrefix(".") && name.utf8.count <= SafeFileName.longest
            promise(isSafe, "'\(name)' is no name for a file")
        }
        let resumed = partial?.resumeOffset(fileSize: size, bootID: "boot") ?? 0
        promise((0...size).contains(resumed), "a partial file of \(size) bytes is gone on with from \(resumed)")
        for start in [0, offset, resumed] { decide(head, start, partial) }
    }

    private static func decide(_ head: ResponseHead, _ offset: Int64, _ partial: PartialDownload?) {
        let end = offset.addingClamped(1000)
        if case .write(let from, let total) = RangeDecision.decide(head, piece: offset, before: end, of: partial) {
            promise(from == offset && total == end, "a piece at \(offset) is written from \(from) to \(total ?? 0)")
            promise(head.status == 206, "the body of a \(head.status) is written as a piece")
        }
        for keepsErrorBodies in [false, true] {
            let decision = RangeDecision.decide(
                head,
                offset: offset,
                partial: partial,
                ownRange: head.headers["Range"],
                isDecoded: keepsErrorBodies,
                keepsErrorBodies: keepsErrorBodies
            )
            if case .write(let from, let total) = decision {
                promise(from == offset || from == 0, "\(offset) was asked for, \(from) is written")
                promise(total.map { $0 >= from } ?? true, "a file of \(total ?? 0) bytes is written from \(from)")
            }
        }
    }

    private static func partial(_ input: inout FuzzInput) -> PartialDownload? {
        let code = input.byte()
        guard code & 1 == 1 else { return nil }
        let validator: PartialDownload.Validator? =
            switch code >> 1 & 3 {
            case 0: .strongETag("\"a\"")
            case 1: .lastModified("Sun, 06 Nov 1994 08:49:37 GMT")
            default: nil
            }
        return PartialDownload(
            validator: validator,
            totalBytes: code & 8 == 8 ? input.integer() : nil,
            syncedBytes: input.integer(),
            bootID: code & 16 == 16 ? "boot" : "before",
            serverIgnoresRanges: code & 32 == 32
        )
    }
}
