// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageClient
package import OffstageCore
import OffstageProtocol

/// Hands transfers over to the daemon in batches, then follows them or prints their numbers.
package struct Submission {
    private let specs: [TransferSpec]
    /// Private copies that are deleted again when the daemon refuses.
    private let snapshots: [String]
    private let options: TransferOptions

    /// A request holds at most so many transfers and about so many bytes of JSON: well below what a frame may have.
    private static let longestBatch = 1000
    private static let largestBatch = 2 << 20

    package init(specs: [TransferSpec], snapshots: [String], options: TransferOptions) {
        self.specs = specs
        self.snapshots = snapshots
        self.options = options
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        var connection: DaemonConnection
        var ids: [TransferID] = []
        do {
            connection = try context.connect()
            for batch in try Self.batches(specs) {
                ids += try connection.send(SubmitTransfers(specs: Array(specs[batch]))).ids
            }
        } catch {
            // What was already accepted needs its copy; the daemon deletes it in the end.
            for path in snapshots.dropFirst(ids.count) { unlink(path) }
            if !ids.isEmpty {
                context.output.complain(
                    "offstage: \(ids.count) of \(specs.count) transfers were handed over: \(Self.spans(ids))."
                )
            }
            throw error
        }
        if options.detaches {
            if context.printsJSON {
                context.output.print(try JSONText.of(IDsDocument(ids: ids.map(\.rawValue))))
            } else {
                for id in ids { context.output.print("\(id)") }
            }
            return .success
        }
        let style: Follower.Style = context.printsJSON || options.isQuiet ? .quiet : .lively
        return try Follower(ids, context, style: style).run(&connection)
    }

    struct IDsDocument: Encodable {
        let ids: [Int64]
    }

    /// Ranges of transfers that fit one request each.
    static func batches(_ specs: [TransferSpec]) throws -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var start = 0
        var size = 0
        for (index, spec) in specs.enumerated() {
            let length = try WireCoding.encode(spec).count
            guard length < largestBatch else {
                throw CommandFailure(
                    "The transfer to \(spec.url) is too long to hand over: shorten its headers, or its form.",
                    .usage
                )
            }
            if index > start, index - start >= longestBatch || size + length > largestBatch {
                ranges.append(start..<index)
                start = index
                size = 0
            }
            size += length + 1
        }
        if start < specs.count { ranges.append(start..<specs.count) }
        return ranges
    }

    /// `1, 2, 5–9`: numbers for people.
    static func spans(_ unordered: [TransferID]) -> String {
        let ids = unordered.sorted()
        var parts: [String] = []
        var index = 0
        while index < ids.count {
            var last = index
            while last + 1 < ids.count, ids[last + 1].rawValue == ids[last].rawValue + 1 { last += 1 }
            parts.append(last > index + 1 ? "\(ids[index])–\(ids[last])" : "\(ids[index])")
            index = last > index + 1 ? last + 1 : index + 1
        }
        return parts.joined(separator: ", ")
    }
}
