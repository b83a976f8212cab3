// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTransfers
import Testing

@Suite struct DropboxSimulationTests {
    /// The total number of runs; each run can be repeated alone from its seed.
    static let runs: UInt64 = 3200
    static let shards: UInt64 = 8

    @Test(arguments: 0..<shards)
    func `whatever goes wrong, the file is committed once and whole, or it is said why not`(shard: UInt64) throws {
        for seed in stride(from: shard, to: Self.runs, by: Int(Self.shards)) { try check(seed) }
    }

    private func check(_ seed: UInt64) throws {
        var simulation = try DropboxSimulation(seed: seed)
        let before = simulation.dropbox.files
        let outcome = try simulation.run()
        let dropbox = simulation.dropbox
        let whole = SymbolicContent(version: 1, 0..<simulation.size)
        func demand(_ isSo: Bool, _ demand: String) {
            guard !isSo else { return }
            let end = outcome.map { $0.failure.map { "\($0)" } ?? "success" } ?? "no outcome"
            Issue.record("\(demand): seed \(seed), \(simulation.happened), \(end)")
        }
        demand(dropbox.commits.count <= 1 || Self.mayCommitAgain(simulation), "it is committed once")
        demand(dropbox.commits.allSatisfy { $0.content == whole }, "what is committed is the file")
        switch outcome {
        case .completed:
            let isThere = before.values.contains { $0.content == whole }
            demand(!dropbox.commits.isEmpty || isThere, "what is done is committed")
            demand(dropbox.files.values.contains { $0.content == whole }, "what is committed is there")
        case .failed(let failure, _): demand(Self.mayFail(failure.code, simulation, before), "it fails for a reason")
        case .cancelled, .cancelledByQuit, .released, nil: demand(false, "it ends")
        }
        if Self.countsBytes(simulation, before) {
            let expected = simulation.size + simulation.allowance
            demand(simulation.sent <= expected, "a chunk is sent twice for a disturbance, \(simulation.sent) bytes")
        }
    }

    /// Whether the upload had a reason to fail.
    private static func mayFail(
        _ code: TransferFailure.Code,
        _ simulation: DropboxSimulation,
        _ before: [String: ModelDropbox.File]
    ) -> Bool {
        let happened = Set(simulation.happened)
        switch code {
        case .destinationConflict: return !before.isEmpty || simulation.transfer.spec.dialect?.isStrict == true
        case .commitUncertain:
            return !happened.isDisjoint(with: [
                .lostAfter, .killAfter, .killAnswered, .busyAfter, .late, .sessionLost, .weekPasses, .wrongOffset,
            ])
        case .sourceChanged: return !happened.isDisjoint(with: [.fileChanges, .fileChangesWithin])
        case .accountUnusable:
            // A token that has only just been renewed is not renewed again.
            return happened.contains(.tokenEndsForGood) || simulation.happened.count { $0 == .tokenExpires } > 1
        case .overallTimeout: return happened.contains(.weekPasses)
        default: return false
        }
    }

    /// Whether the file was moved away from its destination: it is then committed there again, and under no other name.
    private static func mayCommitAgain(_ simulation: DropboxSimulation) -> Bool {
        simulation.happened.contains(.movedAway) && simulation.transfer.spec.dialect?.isAutorenamed == false
    }

    /// Whether each disturbance costs at most one resent chunk: a server that reports too little, or accepts less than
    /// it should, costs more.
    private static func countsBytes(_ simulation: DropboxSimulation, _ before: [String: ModelDropbox.File]) -> Bool {
        simulation.dropbox.tellsContentHash && simulation.dropbox.mayRead
            && simulation.dropbox.maximumBody > 128 << 20 && before.isEmpty
            && simulation.dropbox.concurrency != .ignored
    }

    @Test func `a file that changed is never committed`() throws {
        for seed in 0..<200 as Range<UInt64> {
            var simulation = try DropboxSimulation(seed: seed)
            simulation.dropbox.files = [:]
            simulation.dropbox.maximumBody = 157_286_400
            simulation.fileVersion = 2
            guard case .failed(let failure, _)? = try simulation.run() else { return _ = Issue.record("seed \(seed)") }
            #expect([.sourceChanged, .accountUnusable, .overallTimeout].contains(failure.code))
            #expect(simulation.dropbox.commits.isEmpty)
        }
    }
}

extension TransferOutcome {
    fileprivate var failure: TransferFailure? {
        if case .failed(let failure, _) = self { failure } else { nil }
    }
}

extension DialectSpec {
    fileprivate var isStrict: Bool { (try? DropboxParameters(self))?.strictConflict == true }
    fileprivate var isAutorenamed: Bool { (try? DropboxParameters(self))?.autorename == true }
}
