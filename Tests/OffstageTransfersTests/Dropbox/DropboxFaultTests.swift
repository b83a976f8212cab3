// SPDX-License-Identifier: Apache-2.0
import DropboxEmulator
import OffstageCore
import OffstageTestSupport
import Testing

extension `Uploads to Dropbox` {
    /// All faults of the emulator, in each phase of an upload: the file is committed once and whole, or the upload
    /// fails with a reason and nothing is there.
    struct DropboxFaultTests {
        /// The calls of an upload of 14 MiB in chunks of 4, or of one that is sent in one request.
        enum Phase: CaseIterable {
            case upload, start, firstAppend, middleAppend, lastAppend, finish
            /// The query whether the file was committed, after a commit's answer was lost and its session is gone.
            case metadata

            /// All calls except the one that needs another fault to occur.
            static let calls = allCases.filter { $0 != .metadata }

            var route: EmulatorRoute {
                switch self {
                case .upload: .upload
                case .start: .start
                case .firstAppend, .middleAppend, .lastAppend: .append
                case .finish: .finish
                case .metadata: .getMetadata
                }
            }

            /// The number of the call within its route.
            var number: Int {
                switch self {
                case .upload, .start, .firstAppend, .finish, .metadata: 1
                case .middleAppend: 2
                case .lastAppend: 3
                }
            }

            /// Rules for a fault on the call and, with `times`, on the following calls of its route.
            func rules(_ fault: DropboxFault, times: Int = 1) -> [DropboxFaultRule] {
                let met = (0..<times).map { DropboxFaultRule(fault, on: route, .call(number + $0)) }
                return self == .metadata ? [.init(.lostAfter, on: .finish, .call(1))] + met : met
            }

            /// Whether a fault applies to the call: session faults to a call that names a session, and a cut to a body
            /// that is long enough.
            func isMet(by fault: DropboxFault) -> Bool {
                switch fault {
                case .incorrectOffset, .incorrectOffsetBy, .sessionLost, .sessionClosed:
                    route == .append || route == .finish
                case .cut(let position, _): position <= ([.start: 0, .metadata: 18][self] ?? 2 << 20)
                default: true
                }
            }
        }

        /// Ways to commit a file; the last two are never sent in one request.
        enum Commit: CaseIterable {
            case add, autorename, strict

            func apply(to parameters: inout DropboxParameters) {
                parameters.autorename = self == .autorename
                parameters.strictConflict = self == .strict
            }
        }

        private static func error(_ tag: String) -> EmulatorJSON { [".tag": .string(tag)] }

        /// The same for a session's finish, whose errors about the session are nested.
        private static func lookup(_ tag: String) -> EmulatorJSON {
            [".tag": "lookup_failed", "lookup_failed": [".tag": .string(tag)]]
        }

        /// All faults, with names for the report. Those that end an upload for good are in `lethal`.
        static let faults: [(name: String, fault: DropboxFault)] = [
            ("lost before", .lostBefore),
            ("lost after", .lostAfter),
            ("lost between", .lostBetween),
            ("told the same offset", .incorrectOffsetBy(0)),
            ("told byte 0", .incorrectOffset(told: 0)),
            ("told a chunk less", .incorrectOffsetBy(-DropboxStage.chunk)),
            ("told a byte more", .incorrectOffsetBy(1)),
            ("told far too much", .incorrectOffset(told: 1 << 40)),
            ("429 as JSON", .rateLimited(retryAfter: 0, plain: false, reason: "too_many_requests")),
            ("429 as text", .rateLimited(retryAfter: 0, plain: true, reason: "too_many_requests")),
            ("429, writes", .rateLimited(retryAfter: 0, plain: false, reason: "too_many_write_operations")),
            ("401, expired", .unauthorized("expired_access_token")),
            ("401, invalid", .unauthorized("invalid_access_token")),
            ("500", .status(500, body: "", effect: false)),
            ("500 after the effect", .status(500, body: "", effect: true)),
            ("502, a page", .status(502, body: "<html>Bad gateway</html>", effect: false)),
            ("503 after the effect", .status(503, body: "{}", effect: true)),
            ("200 of something else", .status(200, body: "<html>Sign in to the network</html>", effect: false)),
            ("200 of something else after the effect", .status(200, body: "<html>Hello</html>", effect: true)),
            ("hash mismatch", .error(error("content_hash_mismatch"), effect: false)),
            ("session lost", .sessionLost),
            ("session closed", .sessionClosed),
            ("slow", .slow(latency: 0.02, bytesPerSecond: nil)),
            ("cut at 0", .cut(at: 0, keep: false)),
            ("cut in a block", .cut(at: 1_234_567, keep: false)),
            ("cut in a block, kept", .cut(at: 1_234_567, keep: true)),
            ("cut at the first byte, kept", .cut(at: 1, keep: true)),
        ]

        /// Faults that need a person's action: the upload fails, and is not committed.
        static let lethal: [(name: String, fault: DropboxFault, code: TransferFailure.Code)] = [
            ("401, scope", .unauthorized("missing_scope"), .accountUnusable),
            ("401, suspended", .unauthorized("user_suspended"), .accountUnusable),
            ("400", .status(400, body: "Error in call", effect: false), .httpStatus),
        ]

        @Test(arguments: Phase.calls)
        func `a fault in one call does not harm a file`(phase: Phase) async throws {
            for (name, fault) in Self.faults where phase.isMet(by: fault) {
                // A session that is found closed at its commit may have been committed: a person must decide.
                let mayGiveUp = name == "session closed" && phase == .finish
                try await run(name, phase, phase.rules(fault), mustCome: 1, mayGiveUp: mayGiveUp)
            }
        }

        @Test(arguments: Phase.calls)
        func `a fault that comes three times in a row does not harm a file`(phase: Phase) async throws {
            for (name, fault) in Self.faults where phase.isMet(by: fault) {
                try await run(name, phase, phase.rules(fault, times: 3), mustCome: 1, mayGiveUp: true)
            }
        }

        @Test(arguments: DropboxRules.AfterCommit.allCases, Commit.allCases)
        func `a fault in the question whether a file was committed does not harm it`(
            afterCommit: DropboxRules.AfterCommit,
            commit: Commit
        ) async throws {
            for (name, fault) in Self.faults where Phase.metadata.isMet(by: fault) {
                let rules = Phase.metadata.rules(fault)
                try await run(name, .metadata, rules, mustCome: 2, commit: commit) { $0.afterCommit = afterCommit }
            }
        }

        /// Dropbox says only that a file is there, or the app may not ask.
        @Test(arguments: DropboxRules.AfterCommit.allCases, Commit.allCases)
        func `a commit that nobody can tell of is made again only where that changes nothing`(
            afterCommit: DropboxRules.AfterCommit,
            commit: Commit
        ) async throws {
            for mayAsk in [true, false] {
                let fault = mayAsk ? DropboxFault.slow(latency: 0, bytesPerSecond: nil) : .unauthorized("missing_scope")
                let (stage, _, id) = try await begin(.metadata, Phase.metadata.rules(fault), commit: commit) {
                    $0.afterCommit = afterCommit
                    $0.tellsContentHash = !mayAsk
                }
                let end = try stage.log.end(of: id)
                let record = stage.emulator.record
                #expect(stage.emulator.faultsUsed == 2)
                #expect(record.commits == 1 && stage.emulator.files.count == 1)
                if commit == .add {
                    #expect(end.outcome?.isSuccess == true, "\(end.state)")
                    #expect(record.unchangedCommits == 1 && record.calls(.start) == 2)
                } else {
                    #expect(end.lastFailure?.code == .commitUncertain, "\(end.state)")
                    #expect(record.unchangedCommits == 0 && record.calls(.start) == 1)
                }
            }
        }

        @Test func `nothing is asked before the time that a 429 has named`() async throws {
            // All concurrently, since each waits for a second.
            var waiting: [(phase: Phase, stage: DropboxStage, path: String, id: TransferID)] = []
            for (index, phase) in Phase.allCases.enumerated() {
                let fault = DropboxFault.rateLimited(
                    retryAfter: 1,
                    plain: !index.isMultiple(of: 2),
                    reason: "too_many_requests"
                )
                let (stage, path, id) = try await begin(phase, phase.rules(fault))
                waiting.append((phase, stage, path, id))
            }
            for (phase, stage, path, id) in waiting {
                let end = try stage.log.end(of: id)
                #expect(end.outcome?.isSuccess == true, "\(phase): \(end.state)")
                #expect(stage.emulator.record.answers(phase.route, 429) == 1, "\(phase)")
                #expect(stage.emulator.record.callsBeforeRetryAfter == 0, "\(phase)")
                try stage.expectCommitted(path)
            }
        }

        @Test(arguments: 1...40)
        func `two faults at any two calls do not harm a file`(seed: Int) async throws {
            var random = SeededGenerator(seed: UInt64(seed))
            for _ in 0..<2 {
                let first = Self.faults[Int(random.next() % UInt64(Self.faults.count))]
                let second = Self.faults[Int(random.next() % UInt64(Self.faults.count))]
                let phases = Phase.calls.filter { $0 != .upload }
                let one = phases[Int(random.next() % UInt64(phases.count))]
                let two = phases[Int(random.next() % UInt64(phases.count))]
                let rules: [DropboxFaultRule] = [
                    .init(first.fault, on: one.route, .call(one.number)),
                    .init(second.fault, on: two.route, .call(two.number + Int(random.next() % 2))),
                ]
                let commit = Commit.allCases[Int(random.next() % 3)]
                // Everything that the documentation leaves open; without the hash, only an add can be repeated.
                let choice = random.next()
                try await run(
                    "\(first.name) in \(one), \(second.name) in \(two), \(commit), \(choice % 8), seed \(seed)",
                    one,
                    rules,
                    mayGiveUp: true,
                    commit: commit
                ) {
                    $0.afterCommit = choice & 1 == 0 ? .notFound : .closed
                    $0.keepsPrefix = choice & 2 == 0
                    $0.tellsContentHash = commit != .add || choice & 4 == 0
                }
            }
        }

        @Test(arguments: 1...10)
        func `a server that fails at random gets every file once`(seed: Int) async throws {
            let rules = Self.faults.filter { !$0.name.hasPrefix("session") && !$0.name.hasPrefix("told") }
                .map { DropboxFaultRule($0.fault, .probability(0.02)) }
            try await run("at random, seed \(seed)", .start, rules, seed: UInt64(seed), mayGiveUp: true)
        }

        @Test(arguments: Phase.calls)
        func `what only a person can mend fails, and goes on when it is mended`(phase: Phase) async throws {
            for (name, fault, code) in Self.lethal {
                let (stage, path, id) = try await begin(phase, phase.rules(fault))
                let failed = try stage.log.end(of: id)
                #expect(failed.lastFailure?.code == code, "\(name) in \(phase): \(failed.state)")
                #expect(stage.emulator.record.commits == 0, "\(name) in \(phase)")
                try await stage.harness.queue.retry(id)
                try stage.log.wait(id, for: "success after \(name) in \(phase)") { $0.outcome?.isSuccess == true }
                try stage.expectCommitted(path)
            }
        }

        // MARK: - One upload

        private func begin(
            _ phase: Phase,
            _ faults: [DropboxFaultRule],
            seed: UInt64 = 1,
            commit: Commit = .add,
            rules change: @Sendable (inout DropboxRules) -> Void = { _ in }
        ) async throws -> (stage: DropboxStage, path: String, id: TransferID) {
            let stage = try await DropboxStage()
            stage.emulator.setRules(change)
            stage.emulator.setFaults(faults, seed: seed)
            let size = [.upload: 3, .metadata: 5][phase] ?? 14
            let path = try stage.makeFile(size << 20, seed: seed)
            return (stage, path, try await stage.upload(path) { commit.apply(to: &$0) })
        }

        /// Expects so many faults. With `mayGiveUp`, a failure is also correct if the server never finished.
        private func run(
            _ name: String,
            _ phase: Phase,
            _ faults: [DropboxFaultRule],
            seed: UInt64 = 1,
            mustCome least: Int = 0,
            mayGiveUp: Bool = false,
            commit: Commit = .add,
            rules change: @Sendable (inout DropboxRules) -> Void = { _ in }
        ) async throws {
            let (stage, path, id) = try await begin(phase, faults, seed: seed, commit: commit, rules: change)
            let end = try stage.log.end(of: id)
            #expect(stage.emulator.faultsUsed >= least, "\(name) in \(phase)")
            #expect(stage.emulator.record.commits <= 1, "\(name) in \(phase)")
            for file in stage.emulator.files {
                #expect(file.contentHash == (try DropboxStage.contentHash(path)), "\(name) in \(phase)")
            }
            if end.outcome?.isSuccess == true {
                #expect(stage.emulator.files.count == 1, "\(name) in \(phase)")
                #expect(stage.emulator.record.commits == 1, "\(name) in \(phase)")
                return
            }
            #expect(mayGiveUp, "\(name) in \(phase): \(end.state)")
            // Once the server works again, the same transfer succeeds.
            stage.emulator.setFaults([])
            try await stage.harness.queue.retry(id)
            try stage.log.wait(id, for: "success after \(name) in \(phase)") { $0.outcome?.isSuccess == true }
            #expect(stage.emulator.record.commits == 1, "\(name) in \(phase)")
            try stage.expectCommitted(path)
        }
    }
}
