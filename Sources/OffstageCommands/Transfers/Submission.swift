// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageClient
package import OffstageCore
import OffstageProtocol

/// Hands transfers over to the daemon in batches, then follows them or prints their numbers.
package struct Submission {
    private let specs: [TransferSpec]
    /// Private copies, which are deleted if the daemon refuses.
    private let snapshots: [String]
    private let options: TransferOptions

    package init(specs: [TransferSpec], snapshots: [String], options: TransferOptions) {
        self.specs = specs
        self.snapshots = snapshots
        self.options = options
    }

    package func run(_ context: CommandContext) throws -> ExitStatus {
        if options.isDryRun { return try rehearse(context) }
        // Everything existed already.
        guard !specs.isEmpty else {
            if context.printsJSON {
                let document: any Encodable = options.detaches ? IDsDocument(ids: []) : NoTransfers()
                context.output.print(try JSONText.of(document))
            }
            return .success
        }
        var connection: DaemonConnection
        var ids: [TransferID] = []
        do {
            connection = try context.connect()
            ids.reserveCapacity(specs.count)
            try handOver(connection, &ids)
        } catch {
            // Accepted transfers need their copies, which the daemon deletes in the end. A daemon that has not answered
            // may have accepted the remaining ones. It deletes unused copies after a day.
            if (error as? OffstageError)?.isWithoutAnswer != true {
                for path in snapshots.dropFirst(ids.count) { unlink(path) }
            }
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
                // With one system call, as there may be a million numbers.
                context.output.write(ids.map { "\($0)\n" }.joined())
            }
            return .success
        }
        let style: Follower.Style = context.printsJSON || options.isQuiet ? .quiet : .lively
        return try Follower(ids, context, style: style).run(&connection)
    }

    /// Prints the transfers that would be handed over.
    private func rehearse(_ context: CommandContext) throws -> ExitStatus {
        for path in snapshots { unlink(path) }
        let rehearsal = Rehearsal(specs, now: context.now())
        if context.printsJSON {
            context.output.print(try JSONText.of(rehearsal.document))
        } else {
            for line in rehearsal.lines { context.output.print(line) }
        }
        return .success
    }

    /// Collects the numbers of the accepted transfers, even when it throws. While the daemon stores one request, it
    /// reads the next, and the one after that is written.
    private func handOver(_ connection: DaemonConnection, _ ids: inout [TransferID]) throws {
        var batches = SubmissionBatches(specs)
        var asked: [DaemonConnection.Asked<SubmitEncodedTransfers>] = []
        // Requests after a refused one may be accepted, and private copies belong to the first accepted ones.
        let most = snapshots.isEmpty ? 2 : 1
        do {
            while true {
                let next = Result { try batches.takeNext() }
                if asked.count == most { ids += try connection.answer(to: asked.removeFirst()).ids }
                guard let request = try next.get() else { break }
                asked.append(try connection.ask(request))
            }
            while !asked.isEmpty { ids += try connection.answer(to: asked.removeFirst()).ids }
        } catch {
            if (error as? OffstageError)?.isWithoutAnswer != true {
                for request in asked { ids += (try? connection.answer(to: request).ids) ?? [] }
            }
            throw error
        }
    }

    private struct NoTransfers: Encodable {
        let transfers: [TransferDocument] = []
    }

    struct IDsDocument: Encodable {
        let ids: [Int64]
    }

    /// `1, 2, 5–9`: numbers for people.
    package static func spans(_ unordered: [TransferID]) -> String {
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

extension OffstageError {
    /// Whether the connection is no longer usable.
    fileprivate var isWithoutAnswer: Bool { code == .timedOut || code == .connectionLost }
}
