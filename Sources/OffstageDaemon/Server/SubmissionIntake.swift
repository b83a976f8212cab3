// SPDX-License-Identifier: Apache-2.0
import OffstageAccounts
import OffstageCore
import OffstageHost
import OffstageProtocol
import OffstageRuntime
import OffstageTransfers

/// Accepts the transfers that clients hand over. The submissions of one connection keep their order, and each is
/// decoded while the ones before it are stored.
///
/// Runs on the daemon's loop.
actor SubmissionIntake {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private typealias Submission = Task<Result<SubmitTransfers.Reply, any Error>, Never>

    private let queue: TransferQueue
    private let accounts: AccountCenter
    private let coding: RequestCoding
    /// The last submission of each connection, until it is answered.
    private var last: [UInt64: Submission] = [:]

    init(_ engines: Engines) {
        loop = engines.base.loop
        queue = engines.queue
        accounts = engines.accounts
        coding = RequestCoding(workers: engines.base.workers)
    }

    /// Accepts transfers after all earlier ones of the same connection.
    ///
    /// - Parameters:
    ///   - frame: the request, not yet decoded.
    ///   - connection: the connection that sent it.
    /// - Returns: the transfers' numbers, once they are on disk.
    /// - Throws: `JSONShape.Problem`, `DecodingError`, `WireFailure`, `RequestError`, `QueueError`, `StoreError`.
    func accept(_ frame: WireFrame, of connection: UInt64) async throws -> SubmitTransfers.Reply {
        let before = last[connection]
        let submission: Submission = loop.startTask {
            do {
                let (request, written) = try await self.read(frame)
                _ = await before?.value
                return .success(try await self.submit(request, written))
            } catch {
                _ = await before?.value
                return .failure(error)
            }
        }
        last[connection] = submission
        let result = await submission.value
        if last[connection] == submission { last[connection] = nil }
        return try result.get()
    }

    /// The transfers, each with its original encoded specification if that can be kept: encoding many of them again
    /// would cost half as much as storing them.
    private func read(_ frame: WireFrame) async throws -> (SubmitTransfers, written: [ArraySlice<UInt8>?]) {
        let payload = frame.payload
        guard payload.count > RequestCoding.longestOnLoop else {
            return (try await coding.decode(SubmitTransfers.self, frame), [])
        }
        let read = await coding.workers.run {
            Result {
                let request = try RequestCoding.decode(SubmitTransfers.self, payload, .max)
                let written = JSONElements.written(in: "specs", of: payload, longest: Self.longestKept)
                return (request, written: written?.count == request.specs.count ? written ?? [] : [])
            }
        }
        return try read.get()
    }

    /// The longest specification that is stored as received, in bytes: a longer one may contain fields that no
    /// specification has.
    private static let longestKept = 4096

    private func submit(
        _ request: SubmitTransfers,
        _ written: [ArraySlice<UInt8>?]
    ) async throws -> SubmitTransfers.Reply {
        guard !request.specs.isEmpty else { throw WireFailure(.badRequest, "No transfer was handed over.") }
        var specs: [TransferQueue.HandedOver] = []
        specs.reserveCapacity(request.specs.count)
        for (index, spec) in request.specs.enumerated() {
            try spec.validate()
            guard spec.mirrors?.isUntried ?? true else {
                throw RequestError.invalidValue("The addresses of a new download have no history")
            }
            // The account fills in the values that the owner left out.
            let json = spec.dialect == nil && index < written.count ? written[index] : nil  // checked: before the end
            specs.append(.init(try await accounts.admitted(spec, requiresAccount: true), json: json.map(Array.init)))
        }
        return SubmitTransfers.Reply(ids: try await queue.submit(specs))
    }
}
