// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
package import OffstageProtocol

/// Transfers as requests that each fit a frame, encoded one request at a time and each transfer once.
package struct SubmissionBatches {
    private let specs: [TransferSpec]
    private var next = 0
    /// The one that did not fit any more.
    private var left: [UInt8]?

    /// A request holds at most so many transfers, which the store takes with one commit and others wait for, and about so
    /// many bytes of JSON: well below what a frame may have.
    package static let longest = 250
    package static let largest = 2 << 20

    package init(_ specs: [TransferSpec]) { self.specs = specs }

    /// The next request; nil after the last.
    ///
    /// - Throws: `CommandFailure` for a transfer that fits none.
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
