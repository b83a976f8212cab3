// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
package import OffstageProtocol

/// Transfers as requests that each fit into a frame. They are encoded request by request, and each transfer only once.
package struct SubmissionBatches {
    private let specs: [TransferSpec]
    private var next = 0
    /// The transfer that did not fit into the previous request.
    private var left: [UInt8]?

    /// The most transfers in a request, which the store saves in one commit while other requests wait, and about the
    /// most bytes of JSON, well below the limit of a frame.
    package static let longest = 250
    package static let largest = 2 << 20

    package init(_ specs: [TransferSpec]) { self.specs = specs }

    /// The next request; nil after the last.
    ///
    /// - Throws: `CommandFailure` for a transfer that does not fit into a request.
    package mutating func takeNext() throws -> SubmitEncodedTransfers? {
        var request = SubmitEncodedTransfers()
        var count = 0
        while next < specs.count, count < Self.longest {
            let encoded = try left ?? encoded(specs[next])
            if count > 0, request.length + encoded.count > Self.largest {
                left = encoded
                break
            }
            left = nil
            request.append(encoded)
            next += 1
            count += 1
        }
        return count == 0 ? nil : request
    }

    private func encoded(_ spec: TransferSpec) throws -> [UInt8] {
        let encoded = try spec.json()
        guard encoded.count < Self.largest else {
            throw CommandFailure(
                "The transfer to \(spec.url) is too long to hand over: shorten its headers, or its form.",
                .usage
            )
        }
        return encoded
    }
}
