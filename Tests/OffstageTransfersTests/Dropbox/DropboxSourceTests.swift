// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageTestSupport
import Testing

extension `Uploads to Dropbox` {
    /// Changes to the file, and to the server's part of it, in the middle of an upload to Dropbox.
    struct DropboxSourceTests {
        private static let size = 14 << 20

        /// A change to a file.
        enum Change: CaseIterable {
            case edited, shortened, lengthened, replaced, deleted
        }

        private func apply(_ change: Change, to path: String) throws {
            switch change {
            case .edited:
                // The same size, but a byte that was not yet sent is changed.
                let file = open(path, O_WRONLY | O_CLOEXEC)
                defer { close(file) }
                guard pwrite(file, "x", 1, off_t(Self.size - 1)) == 1 else { throw TestError.system("\(path)") }
            case .shortened: guard truncate(path, 5 << 20) == 0 else { throw TestError.system("\(path)") }
            case .lengthened: guard truncate(path, 20 << 20) == 0 else { throw TestError.system("\(path)") }
            case .replaced:
                try TestFiles.makeRandom(path + ".new", bytes: Self.size, seed: 2)
                guard rename(path + ".new", path) == 0 else { throw TestError.system("\(path)") }
            case .deleted: guard unlink(path) == 0 else { throw TestError.system("\(path)") }
            }
        }

        @Test(arguments: Change.allCases, [2, 3, 5])
        func `a file that is changed while a chunk is on its way is never committed`(
            change: Change,
            call: Int
        ) async throws {
            let stage = try await DropboxStage(holding: call)
            let path = try stage.makeFile(Self.size)
            let id = try await stage.upload(path)
            try stage.waitUntilHeld()
            let sent = stage.emulator.record.bodyBytes(.append)
            let hash = try DropboxStage.contentHash(path)
            try apply(change, to: path)
            stage.letIn()
            let end = try stage.log.end(of: id)
            if call == 5, end.outcome?.isSuccess == true {
                // The server had the whole original file before it was changed.
                #expect(stage.emulator.record.commits == 1)
                #expect(stage.emulator.file("/target")?.contentHash == hash)
                return
            }
            guard case .failed(let failure, _)? = end.outcome else {
                Issue.record("\(end.state)")
                return
            }
            #expect(failure.code == (change == .deleted ? .sourceMissing : .sourceChanged), "\(failure)")
            #expect(stage.emulator.record.commits == 0)
            #expect(stage.emulator.files.isEmpty)
            #expect(stage.emulator.record.bodyBytes(.append) <= sent + DropboxStage.chunk)
        }

        @Test func `after a failure another attempt goes on with what the server has`() async throws {
            let stage = try await DropboxStage()
            stage.emulator.setFaults([.init(.unauthorized("user_suspended"), on: .append, .call(3))])
            let path = try stage.makeFile(Self.size)
            let id = try await stage.upload(path)
            let failed = try stage.log.end(of: id)
            #expect(failed.lastFailure?.code == .accountUnusable)
            #expect(stage.emulator.record.commits == 0)
            try await stage.harness.queue.retry(id)
            let end = try stage.log.wait(id, for: "success") { $0.outcome?.isSuccess == true }
            #expect(end.bytesDone == Int64(Self.size))
            try stage.expectCommitted(path)
            #expect(stage.emulator.record.calls(.start) == 1)
            #expect(stage.emulator.record.bytesReceivedTwice == DropboxStage.chunk)
        }

        @Test func `what was hashed is not read again after a pause`() async throws {
            let stage = try await DropboxStage(holding: 4)
            let path = try stage.makeFile(Self.size)
            let hash = try DropboxStage.contentHash(path)
            let id = try await stage.upload(path)
            try stage.waitUntilHeld()
            try await stage.harness.queue.pause(id)
            try stage.waitUntilClosed(path)
            try Self.editUnseen(path)
            stage.letIn()
            try await stage.harness.queue.resume(id)
            // If the file were read once more, it would differ from the server's copy.
            #expect(try stage.log.end(of: id).outcome?.isSuccess == true)
            #expect(stage.emulator.file("/target")?.contentHash == hash)
        }

        /// Changes the first byte of a file without a detectable trace.
        private static func editUnseen(_ path: String) throws {
            var status = stat()
            let file = open(path, O_RDWR | O_CLOEXEC)
            defer { close(file) }
            var first: UInt8 = 0
            guard fstat(file, &status) == 0, pread(file, &first, 1, 0) == 1 else { throw TestError.system(path) }
            first ^= 1
            guard pwrite(file, &first, 1, 0) == 1, futimens(file, [status.st_atim, status.st_mtim]) == 0 else {
                throw TestError.system(path)
            }
        }

        @Test func `a session that the server has let go is begun anew`() async throws {
            let stage = try await DropboxStage(holding: 4)
            let path = try stage.makeFile(Self.size)
            let id = try await stage.upload(path)
            try stage.waitUntilHeld()
            stage.emulator.advance(7 * 86_400 + 1)
            stage.letIn()
            #expect(try stage.log.end(of: id).outcome?.isSuccess == true)
            try stage.expectCommitted(path)
            #expect(stage.emulator.record.calls(.start) == 2)
        }

        @Test func `a session that has grown too old is not asked for again`() async throws {
            let stage = try await DropboxStage(holding: 4)
            let path = try stage.makeFile(Self.size)
            let id = try await stage.upload(path)
            try stage.waitUntilHeld()
            try await stage.harness.queue.pause(id)
            let calls = stage.seen.count
            stage.letIn()
            stage.lead.withLock { $0 += 7 * 86_400 }
            try await stage.harness.queue.resume(id)
            #expect(try stage.log.end(of: id).outcome?.isSuccess == true)
            try stage.expectCommitted(path)
            #expect(stage.seen[calls].route == .start)
            #expect(stage.seen.count == calls + 5)
        }

        @Test func `a token that has expired is renewed once, and the request made again`() async throws {
            let stage = try await DropboxStage()
            stage.emulator.setFaults([.init(.unauthorized("expired_access_token"), on: .append, .call(2))])
            let path = try stage.makeFile(Self.size)
            let id = try await stage.upload(path)
            let end = try stage.log.end(of: id)
            #expect(end.outcome?.isSuccess == true, "\(end.state)")
            #expect(end.attempts == 1)
            #expect(stage.tokens.rejected == 1)
            try stage.expectCommitted(path)
        }
    }
}
