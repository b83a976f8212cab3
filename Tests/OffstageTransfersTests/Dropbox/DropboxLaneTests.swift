// SPDX-License-Identifier: Apache-2.0
import DropboxEmulator
import OffstageCore
import OffstageTestSupport
import Testing

extension `Uploads to Dropbox` {
    /// Uploads of several concurrent chunks, from the queue to the emulator over sockets.
    struct DropboxLaneTests {
        /// Eight chunks of 4 MiB, and a last block that is shorter.
        private static let size = (34 << 20) + 5
        private static let lanes = 4

        /// One of the calls of such an upload.
        enum Call: CaseIterable {
            case start, firstChunk, thirdChunk, lastBlock, finish

            var route: EmulatorRoute {
                switch self {
                case .start: .start
                case .firstChunk, .thirdChunk, .lastBlock: .append
                case .finish: .finish
                }
            }

            /// The number of the call within its route.
            var number: Int { [.thirdChunk: 3, .lastBlock: 9][self] ?? 1 }
        }

        private func begin(_ stage: DropboxStage) async throws -> (path: String, id: TransferID) {
            let path = try stage.makeFile(Self.size)
            return (path, try await stage.upload(path) { $0.connections = Self.lanes })
        }

        @Test func `chunks go at once, and the file arrives once and whole`() async throws {
            let stage = try await DropboxStage(holding: 3)
            let (path, id) = try await begin(stage)
            // While one chunk is held, all other chunks arrive.
            try stage.waitUntilHeld()
            try stage.waitForCalls(9)
            #expect(stage.emulator.record.calls(.finish) == 0)
            stage.letIn()
            let end = try stage.log.end(of: id)
            #expect(end.outcome?.isSuccess == true, "\(end.state)")
            #expect(end.bytesDone == Int64(Self.size))
            try stage.expectCommitted(path)
            let record = stage.emulator.record
            #expect(record.bytesReceivedTwice == 0)
            #expect(record.calls(.start) == 1 && record.calls(.append) == 9 && record.calls(.finish) == 1)
            let told = stage.log.bytes
            #expect(told.allSatisfy { (0...Int64(Self.size)).contains($0) } && told.last == Int64(Self.size))
            try stage.waitUntilClosed(path)
        }

        @Test func `what was acknowledged is in the store's file before more is sent`() async throws {
            let stage = try await DropboxStage(commitDelay: 0.02, looksAtStore: true)
            let (path, id) = try await begin(stage)
            #expect(try stage.log.end(of: id).outcome?.isSuccess == true)
            try stage.expectCommitted(path)
            let chunks = stage.seen.filter { $0.route == .append }
            for (index, call) in chunks.enumerated() {
                let stored = try #require(call.stored, "\(call)")
                let isLast = index == chunks.count - 1
                let missing = isLast ? 0 : Self.lanes - 1
                #expect(stored.acknowledged >= Int64(index - missing) * DropboxStage.chunk, "\(call)")
                #expect(stored.stage == (isLast ? "closing" : "filling"), "\(call)")
            }
            let commit = try #require(stage.seen.last?.stored)
            #expect(commit.acknowledged == Int64(Self.size) && commit.stage == "committing")
        }

        @Test(arguments: Call.allCases)
        func `a fault in one of many calls does not harm a file`(call: Call) async throws {
            for (name, fault) in DropboxFaultTests.faults {
                try await run("\(name) in \(call)", [.init(fault, on: call.route, .call(call.number))])
            }
        }

        @Test(arguments: 1...10)
        func `a server that fails at random gets every file once`(seed: Int) async throws {
            let rules = DropboxFaultTests.faults.filter { !$0.name.hasPrefix("session") && !$0.name.hasPrefix("told") }
                .map { DropboxFaultRule($0.fault, .probability(0.01)) }
            try await run("at random, seed \(seed)", rules, seed: UInt64(seed), mayGiveUp: true)
        }

        @Test func `nothing is asked before the time that a 429 to one of many has named`() async throws {
            let stage = try await DropboxStage()
            let fault = DropboxFault.rateLimited(retryAfter: 1, plain: false, reason: "too_many_requests")
            stage.emulator.setFaults([.init(fault, on: .append, .call(2))])
            let (path, id) = try await begin(stage)
            #expect(try stage.log.end(of: id).outcome?.isSuccess == true)
            try stage.expectCommitted(path)
            let record = stage.emulator.record
            #expect(record.answers(.append, 429) == 1 && record.calls(.start) == 1)
            #expect(record.chunksReceivedTwice <= 1, "what the others were sending is not sent again")
        }

        private func run(
            _ name: String,
            _ faults: [DropboxFaultRule],
            seed: UInt64 = 1,
            mayGiveUp: Bool = false
        ) async throws {
            let stage = try await DropboxStage()
            stage.emulator.setFaults(faults, seed: seed)
            let (path, id) = try await begin(stage)
            let end = try stage.log.end(of: id)
            #expect(stage.emulator.record.commits <= 1, "\(name)")
            for file in stage.emulator.files {
                #expect(file.contentHash == (try DropboxStage.contentHash(path)), "\(name)")
            }
            if end.outcome?.isSuccess != true {
                #expect(mayGiveUp, "\(name): \(end.state)")
                stage.emulator.setFaults([])
                try await stage.harness.queue.retry(id)
                try stage.log.wait(id, for: "success after \(name)") { $0.outcome?.isSuccess == true }
            }
            #expect(stage.emulator.files.count == 1, "\(name)")
        }
    }
}
