// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTransfers
import Testing

/// The handling of a session that is gone and may have been committed.
@Suite struct DropboxCommitTests {
    private static let mebibyte = DropboxBench.mebibyte
    private static let opened = DropboxBench.answer(200, #"{"session_id":"s1"}"#)
    private static let stored = DropboxBench.answer(200, "null")

    private static func gone(_ tag: String = "not_found") -> Answer {
        DropboxBench.conflict(#"{".tag":"lookup_failed","lookup_failed":{".tag":"\#(tag)"}}"#)
    }

    /// An upload whose session is gone at the commit.
    private static func afterLostCommit(
        _ tag: String = "not_found",
        _ change: (inout DropboxParameters) -> Void = { _ in }
    ) throws -> DropboxUpload {
        var upload = try DropboxBench.upload(size: 5 * mebibyte) {
            // Too large for one request, or not repeatable: uses a session.
            $0.strictConflict = true
            change(&$0)
        }
        #expect(upload.step() == .start)
        #expect(upload.step(after: opened) == .finish(0, 5 * mebibyte))
        #expect(upload.step(after: gone(tag)) == .metadata)
        return upload
    }

    @Test func `a commit whose answer was lost is found where it should be`() throws {
        var upload = try Self.afterLostCommit()
        #expect(upload.step(after: DropboxBench.file(size: 5 << 20)) == .done)
        for tag in ["not_found", "closed"] {
            var upload = try DropboxBench.upload(size: 20 << 20)
            var step = upload.step()
            step = upload.step(after: Self.opened)
            while case .append = step { step = upload.step(after: Self.stored) }
            var next = try DropboxBench.upload(size: 20 << 20, memory: upload.memory)
            #expect(next.step() == .append(8 << 20, 0))
            #expect(next.step(after: DropboxBench.conflict(#"{".tag":"\#(tag)"}"#)) == .metadata)
            #expect(next.step(after: DropboxBench.file(size: 20 << 20)) == .done)
        }
    }

    @Test func `what else is there decides whether it is sent again`() throws {
        let size: Int64 = 5 << 20
        let other = DropboxBench.file(size: size, version: 2, rev: "0123456789")
        let larger = DropboxBench.file(size: size + 1, rev: "0123456789")
        let silent = DropboxBench.answer(200, #"{".tag":"file","size":\#(size),"rev":"0123456789"}"#)
        let folder = DropboxBench.answer(200, #"{".tag":"folder","name":"film.mov"}"#)
        let deleted = DropboxBench.answer(200, #"{".tag":"deleted","name":"film.mov"}"#)
        let nothing = DropboxBench.conflict(#"{".tag":"path","path":{".tag":"not_found"}}"#)
        let secret = DropboxBench.conflict(#"{".tag":"path","path":{".tag":"restricted_content"}}"#)
        let unknown = DropboxBench.answer(200, #"{".tag":"from_the_future","name":"film.mov"}"#)
        func step(
            _ answer: Answer,
            gone tag: String = "not_found",
            _ change: (inout DropboxParameters) -> Void
        ) throws -> DropboxStep {
            var upload = try Self.afterLostCommit(tag, change)
            let step = upload.step(after: answer)
            if case .failed = step { #expect(upload.memory == nil, "another attempt begins with nothing") }
            return step
        }
        for answer in [other, larger] {
            #expect(try step(answer) { _ in } == .failed(.destinationConflict))
            #expect(try step(answer) { $0.mode = .overwrite } == .start)
            #expect(try step(answer) { $0.mode = .update(revision: "0123456789") } == .start)
            #expect(try step(answer) { $0.mode = .update(revision: "9876543210") } == .failed(.destinationConflict))
            #expect(try step(answer) { $0.autorename = true } == .failed(.commitUncertain))
        }
        for answer in [nothing, deleted] {
            #expect(try step(answer) { _ in } == .start)
            // It may exist under another name, and the conflicting file may be gone.
            #expect(try step(answer) { $0.autorename = true } == .failed(.commitUncertain))
            // A commit closes its session; the file may have been moved since.
            #expect(try step(answer, gone: "closed") { _ in } == .failed(.commitUncertain))
            #expect(try step(answer, gone: "closed") { $0.mode = .overwrite } == .failed(.commitUncertain))
        }
        #expect(try step(folder) { $0.mode = .overwrite } == .failed(.destinationConflict))
        #expect(try step(folder) { $0.autorename = true } == .failed(.commitUncertain))
        for answer in [silent, secret, unknown] {
            #expect(try step(answer) { _ in } == .failed(.commitUncertain))
            #expect(try step(answer) { $0.autorename = true } == .failed(.commitUncertain))
        }
    }

    @Test func `whether it was committed is asked again after the question was lost`() throws {
        var upload = try Self.afterLostCommit()
        #expect(upload.step(after: DropboxBench.answer(503)) == .failed(.serverBusy))
        var next = try DropboxBench.upload(size: 5 << 20, memory: upload.memory) { $0.strictConflict = true }
        #expect(next.step() == .metadata)
    }

    @Test func `that a session was closed is known to the next attempt`() throws {
        var upload = try Self.afterLostCommit("closed")
        #expect(upload.step(after: DropboxBench.answer(503)) == .failed(.serverBusy))
        var next = try DropboxBench.upload(size: 5 << 20, memory: upload.memory) { $0.strictConflict = true }
        #expect(next.step() == .metadata)
        let nothing = DropboxBench.conflict(#"{".tag":"path","path":{".tag":"not_found"}}"#)
        #expect(next.step(after: nothing) == .failed(.commitUncertain))
        #expect(next.failure()?.detail.contains("moved it since") == true)
    }
}
