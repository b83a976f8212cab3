// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTransfers
import Testing

@Suite struct DropboxSimulationTests {
    /// Runs in all; each seed is a run that can be had again alone.
    static let runs: UInt64 = 4000
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
        let happened = simulation.happened
        let story: Comment = "seed \(seed): \(happened), \(outcome.map { "\($0)" } ?? "no outcome")"
        let whole = SymbolicContent(version: 1, 0..<simulation.size)

        #expect(dropbox.commits.count <= 1, story)
        #expect(dropbox.commits.allSatisfy { $0.content == whole }, story)
        switch outcome {
        case .completed:
            let isThere = before.values.contains { $0.content == whole }
            #expect(dropbox.commits.count == 1 || isThere, story)
            #expect(dropbox.files.values.contains { $0.content == whole }, story)
        case .failed(let failure, _): #expect(Self.mayFail(failure.code, simulation, before), story)
        case .cancelled, .cancelledByQuit, nil: Issue.record(story)
        }
        if Self.countsBytes(simulation, before) {
            #expect(simulation.sent <= simulation.size + simulation.allowance, story)
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
        case .accountUnusable: return happened.contains(.tokenEndsForGood)
        case .overallTimeout: return happened.contains(.weekPasses)
        default: return false
        }
    }

    /// Whether all that is sent twice is a chunk for each disturbance: a server that tells too little, or takes less than
    /// it should, costs more.
    private static func countsBytes(_ simulation: DropboxSimulation, _ before: [String: ModelDropbox.File]) -> Bool {
        simulation.dropbox.tellsContentHash && simulation.dropbox.mayRead
            && simulation.dropbox.maximumBody > 128 << 20 && before.isEmpty
    }

    @Test func `a file that changed is never committed`() throws {
        for seed in 0..<600 as Range<UInt64> {
            var simulation = try DropboxSimulation(seed: seed)
            simulation.dropbox.files = [:]
            simulation.dropbox.maximumBody = 157_286_400
            simulation.fileVersion = 2
            guard case .failed(let failure, _)? = try simulation.run() else { return _ = Issue.record("seed \(seed)") }
            #expect([.sourceChanged, .accountUnusable].contains(failure.code))
            #expect(simulation.dropbox.commits.isEmpty)
        }
    }
}

extension DialectSpec {
    fileprivate var isStrict: Bool { (try? DropboxParameters(self))?.strictConflict == true }
}
