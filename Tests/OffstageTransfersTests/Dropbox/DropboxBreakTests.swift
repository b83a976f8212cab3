// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageRuntime
import OffstageTestSupport
import OffstageTransfers
import Testing

extension `Uploads to Dropbox` {
    /// Interventions of a person, or of the network, in the middle of an upload to Dropbox, in each of its phases.
    struct DropboxBreakTests {
        /// The phase in which an upload of 14 MiB in chunks of 4 is interrupted.
        enum Phase: CaseIterable {
            /// While the whole of a small file, which is sent in one request, is hashed.
            case digesting
            case awaitingToken
            case inStart, inFirstChunk, inLaterChunk
            /// Between an answer and the next request, while the state that the request depends on is committed.
            case committing
            case inFinish
        }

        private static let size = 14 << 20

        /// Begins an upload and returns when it is in a phase; `act` is then called at once.
        private func bring(
            to phase: Phase,
            keepsPrefix: Bool = false,
            then act: @escaping @Sendable (isolated TransferQueue, TransferID) async -> Void
        ) async throws -> (stage: DropboxStage, id: TransferID, path: String) {
            let held: [Phase: Int] = [.inStart: 1, .inFirstChunk: 2, .inLaterChunk: 3, .inFinish: 5]
            let stage = try await DropboxStage(holding: held[phase], commitDelay: phase == .committing ? 0.2 : 0)
            stage.emulator.setRules { $0.keepsPrefix = keepsPrefix }
            let path = try stage.makeFile(phase == .digesting ? 4 << 20 : Self.size)
            let queue = stage.harness.queue
            if phase == .awaitingToken { stage.tokens.hold() }
            let hasActed = Monitor(false)
            if phase == .digesting {
                // On the loop, in the turn in which the hashing begins.
                stage.log.onChange { transfer in
                    guard case .running = transfer.state, !hasActed.withLock({ $0 }) else { return }
                    hasActed.withLock { $0 = true }
                    _ = queue.assumeIsolated { queue in
                        queue.loop.startTask { await act(queue, transfer.id) }
                    }
                }
            }
            let id = try await stage.upload(path)
            switch phase {
            case .digesting: break
            case .awaitingToken: try stage.tokens.waitUntilAsked()
            case .inStart, .inFirstChunk, .inLaterChunk, .inFinish: try stage.waitUntilHeld()
            case .committing:
                try eventually("the session is open") { stage.emulator.record.answers(.start, 200) == 1 ? true : nil }
            }
            if phase != .digesting { await act(queue, id) }
            return (stage, id, path)
        }

        /// Expects one session, or two if the first one's answer may not have been received; none for a small file.
        private func expectOneSession(_ stage: DropboxStage, _ phase: Phase) {
            let sessions = stage.emulator.record.calls(.start)
            switch phase {
            case .digesting: #expect(sessions == 0)
            case .inStart, .committing: #expect((1...2).contains(sessions))
            default: #expect(sessions == 1)
            }
        }

        @Test(arguments: Phase.allCases, [false, true])
        func `a paused upload lets go of its file, and goes on where it was`(
            phase: Phase,
            keepsPrefix: Bool
        ) async throws {
            let (stage, id, path) = try await bring(to: phase, keepsPrefix: keepsPrefix) { queue, id in
                try? await queue.pause(id)
            }
            let paused = try stage.log.wait(id, for: "the pause") { $0.state.kind == .paused }
            try stage.waitUntilClosed(path)
            // The reported progress is what the server has acknowledged.
            #expect(paused.bytesDone % DropboxStage.chunk == 0)
            #expect(paused.bytesDone <= Int64(max(0, stage.seen.count - 2)) * DropboxStage.chunk)
            stage.tokens.release()
            stage.letIn()
            try await stage.harness.queue.resume(id)
            let end = try stage.log.end(of: id)
            #expect(end.outcome?.isSuccess == true, "\(end.state)")
            try stage.expectCommitted(path)
            // At most one request was interrupted. A server that keeps parts, and notices its end only after it was
            // queried, gets the whole chunk once more, and then the rest.
            #expect(stage.emulator.record.chunksReceivedTwice <= (keepsPrefix ? 2 : 1))
            expectOneSession(stage, phase)
            try stage.waitUntilClosed(path)
        }

        @Test(arguments: Phase.allCases.filter { $0 != .inFinish })
        func `a cancelled upload is never committed`(phase: Phase) async throws {
            let (stage, id, path) = try await bring(to: phase) { queue, id in try? await queue.cancel(id) }
            let end = try stage.log.end(of: id)
            #expect(end.outcome == .cancelled)
            #expect(end.bytesDone <= Int64(max(0, stage.seen.count - 2)) * DropboxStage.chunk)
            #expect(end.bytesDone % DropboxStage.chunk == 0, "only what the server has acknowledged")
            try stage.waitUntilClosed(path)
            let calls = stage.seen.count
            stage.tokens.release()
            stage.letIn()
            // Another upload completes in the meantime; nothing more arrives from the first.
            let second = try await stage.upload(path) { $0.path = "/second" }
            #expect(try stage.log.end(of: second).outcome?.isSuccess == true)
            #expect(stage.emulator.file("/target") == nil)
            #expect(stage.emulator.record.commits == 1)
            #expect(stage.seen.count == calls + (phase == .digesting ? 1 : 5))
        }

        @Test func `an upload whose time is over has what the server has acknowledged`() async throws {
            let (stage, id, _) = try await bring(to: .inLaterChunk) { _, _ in }
            try eventually("a part of the chunk was sent") {
                stage.log.bytes.contains { $0 > DropboxStage.chunk } ? true : nil
            }
            stage.lead.withLock { $0 += 30 * 86_400 }
            stage.harness.onLoop { $0.alarmRang() }
            let end = try stage.log.end(of: id)
            guard case .failed(let failure, _)? = end.outcome, failure.code == .overallTimeout else {
                return _ = Issue.record("\(end.state)")
            }
            #expect(end.bytesDone == DropboxStage.chunk)
            #expect(end.history.last?.toByte == DropboxStage.chunk)
        }

        @Test(arguments: Phase.allCases)
        func `an upload waits for a network that is gone, and goes on where it was`(phase: Phase) async throws {
            let (stage, id, path) = try await bring(to: phase) { _, _ in }
            stage.network.withLock { $0 = .noLink }
            stage.harness.onLoop { $0.networkChanged() }
            // The daemon's patience with a network that flaps is over.
            stage.lead.withLock { $0 += 10 }
            stage.harness.onLoop { $0.alarmRang() }
            if phase != .digesting {
                try stage.log.wait(id, for: "the line") { $0.state.kind == .queued }
                try stage.waitUntilClosed(path)
            }
            stage.tokens.release()
            stage.letIn()
            stage.network.withLock { $0 = nil }
            stage.harness.onLoop { $0.networkChanged() }
            let end = try stage.log.end(of: id)
            #expect(end.outcome?.isSuccess == true, "\(end.state)")
            try stage.expectCommitted(path)
            #expect(end.past.retries == 0)
            #expect(stage.emulator.record.chunksReceivedTwice <= 1)
            expectOneSession(stage, phase)
        }
    }
}
