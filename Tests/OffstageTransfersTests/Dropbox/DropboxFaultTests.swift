// SPDX-License-Identifier: Apache-2.0
import DropboxEmulator
import OffstageCore
import OffstageTestSupport
import Testing

extension `Uploads to Dropbox` {
    /// Everything that the emulator can do to a call, in each phase of an upload: the file is committed once and whole, or
    /// it has failed with a reason and nothing is there.
    struct DropboxFaultTests {
        /// The calls of an upload of 14 MiB in chunks of 4, or of one that goes in one request.
        enum Phase: CaseIterable {
            case upload, start, firstAppend, middleAppend, lastAppend, finish

            var route: EmulatorRoute {
                switch self {
                case .upload: .upload
                case .start: .start
                case .firstAppend, .middleAppend, .lastAppend: .append
                case .finish: .finish
                }
            }

            /// Which call of the route it is.
            var number: Int {
                switch self {
                case .upload, .start, .firstAppend, .finish: 1
                case .middleAppend: 2
                case .lastAppend: 3
                }
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

        /// Faults after which a person has to do something: the upload fails, and is not committed.
        static let lethal: [(name: String, fault: DropboxFault, code: TransferFailure.Code)] = [
            ("401, scope", .unauthorized("missing_scope"), .accountUnusable),
            ("401, suspended", .unauthorized("user_suspended"), .accountUnusable),
            ("400", .status(400, body: "Error in call", effect: false), .httpStatus),
        ]

        @Test(arguments: Phase.allCases)
        func `a fault in one call does not harm a file`(phase: Phase) async throws {
            for (name, fault) in Self.faults {
                try await run(name, phase, [.init(fault, on: phase.route, .call(phase.number))])
            }
        }

        @Test(arguments: Phase.allCases)
        func `a fault that comes three times in a row does not harm a file`(phase: Phase) async throws {
            for (name, fault) in Self.faults where name != "told byte 0" {
                try await run(
                    name,
                    phase,
                    (0..<3).map { .init(fault, on: phase.route, .call(phase.number + $0)) },
                    mayGiveUp: true
                )
            }
        }

        @Test(arguments: 1...40)
        func `two faults at any two calls do not harm a file`(seed: Int) async throws {
            var random = SeededGenerator(seed: UInt64(seed))
            for _ in 0..<2 {
                let first = Self.faults[Int(random.next() % UInt64(Self.faults.count))]
                let second = Self.faults[Int(random.next() % UInt64(Self.faults.count))]
                let phases = Phase.allCases.filter { $0 != .upload }
                let one = phases[Int(random.next() % UInt64(phases.count))]
                let two = phases[Int(random.next() % UInt64(phases.count))]
                try await run(
                    "\(first.name) in \(one), \(second.name) in \(two), seed \(seed)",
                    one,
                    [
                        .init(first.fault, on: one.route, .call(one.number)),
                        .init(second.fault, on: two.route, .call(two.number + Int(random.next() % 2))),
                    ],
                    mayGiveUp: true
                )
            }
        }

        @Test(arguments: 1...10)
        func `a server that fails at random gets every file once`(seed: Int) async throws {
            let rules = Self.faults.filter { !$0.name.hasPrefix("session") && !$0.name.hasPrefix("told") }
                .map { DropboxFaultRule($0.fault, .probability(0.02)) }
            try await run("at random, seed \(seed)", .start, rules, seed: UInt64(seed), mayGiveUp: true)
        }

        @Test(arguments: Phase.allCases)
        func `what only a person can mend fails, and goes on when it is mended`(phase: Phase) async throws {
            for (name, fault, code) in Self.lethal {
                let (stage, path, id) = try await begin(phase, [.init(fault, on: phase.route, .call(phase.number))])
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
            _ rules: [DropboxFaultRule],
            seed: UInt64 = 1
        ) async throws -> (stage: DropboxStage, path: String, id: TransferID) {
            let stage = try await DropboxStage()
            stage.emulator.setFaults(rules, seed: seed)
            let path = try stage.makeFile(phase == .upload ? 3 << 20 : 14 << 20, seed: seed)
            return (stage, path, try await stage.upload(path))
        }

        /// With `mayGiveUp` a failure is right, too, where the server never came to an end.
        private func run(
            _ name: String,
            _ phase: Phase,
            _ rules: [DropboxFaultRule],
            seed: UInt64 = 1,
            mayGiveUp: Bool = false
        ) async throws {
            let (stage, path, id) = try await begin(phase, rules, seed: seed)
            let end = try stage.log.end(of: id)
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
            // Once the server is well again the same transfer brings it home.
            stage.emulator.setFaults([])
            try await stage.harness.queue.retry(id)
            try stage.log.wait(id, for: "success after \(name) in \(phase)") { $0.outcome?.isSuccess == true }
            #expect(stage.emulator.record.commits == 1, "\(name) in \(phase)")
            try stage.expectCommitted(path)
        }
    }
}
