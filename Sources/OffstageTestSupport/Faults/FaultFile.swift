// SPDX-License-Identifier: Apache-2.0
package import OffstageCore

/// A scripted server's file under a path: the content and its metadata.
package struct FaultFile: Sendable {
    package var bytes: [UInt8]
    package var etag: String?
    package var lastModified: String?
    /// Whether a range is answered with 206; otherwise always with 200 and the whole file.
    package var supportsRanges: Bool
    /// Headers added to each answer.
    package var headers: [HeaderField]

    package init(
        _ bytes: [UInt8],
        etag: String? = "\"one\"",
        lastModified: String? = nil,
        supportsRanges: Bool = true,
        headers: [HeaderField] = []
    ) {
        self.bytes = bytes
        self.etag = etag
        self.lastModified = lastModified
        self.supportsRanges = supportsRanges
        self.headers = headers
    }

    /// Random content.
    package init(random count: Int, seed: UInt64, etag: String? = "\"one\"", supportsRanges: Bool = true) {
        var generator = SeededGenerator(seed: seed)
        self.init(generator.bytes(count), etag: etag, supportsRanges: supportsRanges)
    }

    /// The headers that describe the content.
    package var validators: [HeaderField] {
        var fields = headers
        if let etag { fields.append(HeaderField(name: "ETag", value: etag)) }
        if let lastModified {
            fields.append(HeaderField(name: "Last-Modified", value: lastModified))
            fields.append(HeaderField(name: "Date", value: "Fri, 02 Jan 2026 00:00:00 GMT"))
        }
        if supportsRanges { fields.append(HeaderField(name: "Accept-Ranges", value: "bytes")) }
        return fields
    }

    /// A well-behaved server's answer to the request: the status, the headers and the range of bytes.
    package func answer(to request: RecordedRequest) -> (status: Int, headers: [HeaderField], range: Range<Int>) {
        let whole = (200, validators + [HeaderField(name: "Content-Length", value: "\(bytes.count)")], 0..<bytes.count)
        guard supportsRanges, let start = request.rangeStart else { return whole }
        if let condition = request.headers["If-Range"], condition != etag, condition != lastModified { return whole }
        guard start < bytes.count else {
            let range = HeaderField(name: "Content-Range", value: "bytes */\(bytes.count)")
            return (416, [range, HeaderField(name: "Content-Length", value: "0")], 0..<0)
        }
        let first = Int(start)
        let end = min(bytes.count, Int(request.rangeEnd ?? Int64(bytes.count)))
        let fields = [
            HeaderField(name: "Content-Range", value: "bytes \(first)-\(end - 1)/\(bytes.count)"),
            HeaderField(name: "Content-Length", value: "\(end - first)"),
        ]
        return (206, validators + fields, first..<end)
    }
}
