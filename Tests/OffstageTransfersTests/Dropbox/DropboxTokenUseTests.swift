// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import Testing

extension `Uploads to Dropbox` {
    /// The use of a token, and the meaning of its refusal or absence.
    struct DropboxTokenUseTests {
        private static let size = 14 << 20

        @Test func `a token goes to this machine by way of no proxy`() async throws {
            let proxy = try FaultServer()
            let stage = try await DropboxStage()
            let path = try stage.makeFile(Self.size)
            let id = try await stage.upload(path, proxy: .init(http: proxy.url(""), all: proxy.url("")))
            #expect(try stage.log.end(of: id).outcome?.isSuccess == true)
            try stage.expectCommitted(path)
            #expect(proxy.connections == 0)
        }

        @Test func `a token that is not accepted any more is renewed once, and the request made again`() async throws {
            let stage = try await DropboxStage()
            stage.emulator.setFaults([.init(.unauthorized("invalid_access_token"), on: .append, .call(2))])
            let path = try stage.makeFile(Self.size)
            let id = try await stage.upload(path)
            let end = try stage.log.end(of: id)
            #expect(end.outcome?.isSuccess == true, "\(end.state)")
            #expect(end.attempts == 1 && stage.tokens.rejected == 1)
            try stage.expectCommitted(path)
        }

        @Test func `a daemon that stops while a token is waited for has not failed`() async throws {
            let stage = try await DropboxStage()
            stage.tokens.hold()
            let id = try await stage.upload(try stage.makeFile(Self.size))
            try stage.tokens.waitUntilAsked()
            await stage.harness.queue.prepareToStop()
            stage.tokens.release(
                failing: TransferFailure(.daemonInterrupted, "the daemon stopped while a token was requested")
            )
            // The answer reaches the queue on its loop before later work submitted to the loop.
            for _ in 0..<20 { stage.harness.onLoop { _ in } }
            let now = try stage.log.wait(id, for: "anything") { _ in true }
            #expect(now.state.kind == .running && now.lastFailure == nil, "\(now.state)")
        }
    }
}
