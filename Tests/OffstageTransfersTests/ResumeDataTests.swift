// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// The partial data of a session's failed download, and the download that resumes from it.
struct ResumeDataTests {
    let harness: QueueHarness
    let server: FaultServer
    let file = FaultFile(random: 4_000_000, seed: 1)

    init() throws {
        harness = try QueueHarness()
        server = try FaultServer()
        // It stalls there until it is cancelled, however long that takes.
        server.script("/file", .stallsInBody(file, after: 1_000_000), .file(file))
    }

    /// Begins a download and cancels it once part of it has arrived.
    private func cancelled(_ change: (inout TransferSpec) -> Void = { _ in }) async throws -> Transfer {
        let id = try await harness.download(server.url("/file"), task: 1, change)
        try harness.waitForProgress(ofTask: 1, beyond: 100_000)
        try await harness.queue.cancelProducingResumeData(id)
        return try harness.end(of: id)
    }

    private func goOn(with kept: ResumeData, task: Int) async throws -> Transfer {
        let id = try await harness.download(server.url("/file"), task: task) {
            $0.resumesFrom = kept.token
            $0.resumePartial = kept.partial
        }
        return try harness.end(of: id)
    }

    private func content(ofTask task: Int) throws -> [UInt8] {
        try TestFiles.read(harness.directory.path("task-\(task)"))
    }

    @Test func `a cancelled download is gone on with where it was`() async throws {
        let first = try await cancelled()
        #expect(first.outcome == .cancelled)
        let kept = try #require(first.resumeData?.ofDownload)
        #expect(kept.url.unredacted == server.url("/file"))
        #expect(harness.keptFiles == [kept.token])
        let bytes = try TestFiles.read(harness.directory.path("resumable/\(kept.token)"))
        #expect(Int64(bytes.count) == kept.bytes)
        #expect(kept.partial.syncedBytes == kept.bytes)
        #expect(bytes == Array(file.bytes.prefix(bytes.count)))
        try harness.waitUntilTidy()

        let second = try await goOn(with: kept, task: 2)
        #expect(second.outcome?.answer?.status == 206)
        #expect(server.requests("/file").map(\.rangeStart) == [nil, kept.bytes])
        #expect(try content(ofTask: 2) == file.bytes)
        #expect(harness.keptFiles.isEmpty)
        try harness.waitUntilTidy()
    }

    @Test func `when the person quits an app all its tasks end, and what has arrived is kept`() async throws {
        server.script("/file", .stallsInBody(file, after: 300_000), .file(file))
        let running = try await harness.download(server.url("/file"), task: 1)
        let dated = try await harness.download(server.url("/file"), task: 2) {
            $0.earliestBegin = Date() + 3600
            $0.sessionTask = SessionTaskKey(session: "another", task: 1)
        }
        let paused = try await harness.download(server.url("/file"), task: 3) { $0.earliestBegin = Date() + 3600 }
        try await harness.queue.pause(paused)
        let foreign = try await harness.download(server.url("/file"), task: 4) {
            $0.owner = "another app"
            $0.earliestBegin = Date() + 3600
        }
        try harness.waitForProgress(ofTask: 1, beyond: 1000)
        #expect(await harness.queue.cancelAllForQuit("app") == 3)
        for id in [running, dated, paused] { #expect(try harness.end(of: id).outcome == .cancelledByQuit) }
        let kept = try #require(try harness.end(of: running).resumeData?.ofDownload)
        #expect(harness.keptFiles == [kept.token])
        #expect(await harness.queue.cancelAllForQuit("app") == 0)
        let left = await harness.queue.snapshots([foreign]).map(\.transfer.state.kind)
        #expect(left == [.waiting])
        #expect(try await goOn(with: kept, task: 5).outcome?.answer?.status == 206)
        #expect(try content(ofTask: 5) == file.bytes)
    }

    @Test func `resume data is good for one download, the next begins at byte 0`() async throws {
        let kept = try #require(try await cancelled().resumeData?.ofDownload)
        _ = try await goOn(with: kept, task: 2)
        let third = try await goOn(with: kept, task: 3)
        #expect(third.outcome?.answer?.status == 200)
        #expect(try content(ofTask: 3) == file.bytes)
    }

    @Test func `a file that has changed at the server comes whole`() async throws {
        let kept = try #require(try await cancelled().resumeData?.ofDownload)
        let other = FaultFile(random: 3_000_000, seed: 2, etag: "\"two\"")
        server.script("/file", .file(other))
        let second = try await goOn(with: kept, task: 2)
        #expect(second.outcome?.isSuccess == true)
        #expect(try content(ofTask: 2) == other.bytes)
    }

    @Test func `a paused download can be kept too`() async throws {
        let id = try await harness.download(server.url("/file"), task: 1)
        try harness.waitForProgress(ofTask: 1, beyond: 100_000)
        try await harness.queue.pause(id)
        try await harness.queue.cancelProducingResumeData(id)
        let kept = try #require(try harness.end(of: id).resumeData?.ofDownload)
        #expect(try await goOn(with: kept, task: 2).outcome?.answer?.status == 206)
        #expect(try content(ofTask: 2) == file.bytes)
    }

    @Test func `a download that never began passes on what it was given`() async throws {
        let kept = try #require(try await cancelled().resumeData?.ofDownload)
        let id = try await harness.download(server.url("/file"), task: 2) {
            $0.resumesFrom = kept.token
            $0.resumePartial = kept.partial
            $0.earliestBegin = Date() + 3600
        }
        try await harness.queue.cancelProducingResumeData(id)
        let again = try #require(try harness.end(of: id).resumeData?.ofDownload)
        #expect(again.bytes == kept.bytes)
        #expect(harness.keptFiles == [again.token])
        #expect(try await goOn(with: again, task: 3).outcome?.answer?.status == 206)
        #expect(try content(ofTask: 3) == file.bytes)
    }

    @Test(arguments: ["POST", "GET"])
    func `what cannot be gone on with is deleted`(method: String) async throws {
        let plain = FaultFile(random: 4_000_000, seed: 1, etag: method == "GET" ? nil : "\"one\"")
        server.script("/file", .stallsInBody(plain, after: 1_000_000))
        let ended = try await cancelled { $0.method = method }
        #expect(ended.outcome == .cancelled)
        #expect(ended.resumeData == nil)
        #expect(harness.keptFiles.isEmpty)
        try harness.waitUntilTidy()
    }

    @Test func `whenever it is cancelled, what goes on makes the same file`() async throws {
        server.script("/file", .file(file, rate: 16_000_000))
        for round in 0..<12 {
            let before = server.bodyBytesSent("/file")
            let id = try await harness.download(server.url("/file"), task: round)
            if round > 1 { try server.waitForBodyBytes("/file", before + Int64(round * 300_000)) }
            // It may have ended just before.
            try? await harness.queue.cancelProducingResumeData(id)
            guard let kept = try harness.end(of: id).resumeData?.ofDownload else { continue }
            #expect(try await goOn(with: kept, task: 100 + round).outcome?.isSuccess == true)
            #expect(try content(ofTask: 100 + round) == file.bytes)
        }
        #expect(harness.keptFiles.isEmpty)
        try harness.waitUntilTidy()
    }

    @Test func `only its app can begin it anew`() async throws {
        let id = try await cancelled().id
        let error = await #expect(throws: QueueError.self) { try await harness.queue.retry(id) }
        #expect(error?.sentence.contains("only the app can hand it over again") == true)
    }

    @Test func `only its app can let it begin`() async throws {
        let id = try await harness.download(server.url("/file"), task: 1) {
            $0.earliestBegin = Date() - 10
            $0.asksBeforeBegin = true
        }
        let error = await #expect(throws: QueueError.self) { try await harness.queue.retry(id) }
        #expect(error?.sentence == "Transfer \(id) is waiting for the app app to decide: start the app.")
        #expect(server.requests.isEmpty)
    }

    @Test func `an ordinary cancel keeps nothing`() async throws {
        let id = try await harness.download(server.url("/file"), task: 1)
        try harness.waitForProgress(ofTask: 1, beyond: 100_000)
        try await harness.queue.cancel(id)
        #expect(try harness.end(of: id).resumeData == nil)
        #expect(harness.keptFiles.isEmpty)
        try harness.waitUntilTidy()
    }

    @Test func `a download that fails carries resume data`() async throws {
        server.script("/file", .cut(file, after: 2_000_000), .file(file))
        let id = try await harness.download(server.url("/file"), task: 1) { $0.maximumRetries = 0 }
        let failed = try harness.end(of: id)
        guard case .failed(let failure, _) = failed.outcome else { throw TestError("It has not failed.") }
        #expect(failure.code == .connectionLost)
        let kept = try #require(failed.resumeData?.ofDownload)
        #expect(kept.bytes == 2_000_000)
        try harness.waitUntilTidy()
        #expect(try await goOn(with: kept, task: 2).outcome?.answer?.status == 206)
        #expect(try content(ofTask: 2) == file.bytes)
    }

    @Test func `a download whose time is up while it runs carries resume data`() async throws {
        // A busy machine may need more time before there is data to keep.
        for (task, seconds) in [1.0, 5, 20].enumerated() {
            server.script("/file", .stallsInBody(file, after: 1_500_000), .file(file))
            let id = try await harness.download(server.url("/file"), task: task) { $0.overallTimeout = seconds }
            let ended = try harness.end(of: id, within: seconds + 20)
            guard case .failed(let failure, _) = ended.outcome else { throw TestError("It has not failed.") }
            #expect(failure.code == .overallTimeout)
            guard let kept = ended.resumeData?.ofDownload else { continue }
            #expect(try await goOn(with: kept, task: 10).outcome?.answer?.status == 206)
            #expect(try content(ofTask: 10) == file.bytes)
            return
        }
        Issue.record("Nothing was kept within 20 seconds.")
    }

    @Test func `the command's download stays as it is for a retry`() async throws {
        server.script("/file", .cut(file, after: 2_000_000), .file(file))
        let id = try await harness.download(server.url("/file"), task: 1) {
            $0.sessionTask = nil
            $0.maximumRetries = 0
        }
        try await eventuallyFailed(id)
        #expect(harness.keptFiles.isEmpty)
        #expect(TestFiles.names(in: harness.directory.path).contains { $0.hasSuffix(".part") })
    }

    private func eventuallyFailed(_ id: TransferID) async throws {
        let limit = TimeLimit(seconds: 20)
        while !limit.isOver {
            if await harness.queue.snapshots([id]).first?.transfer.isFinished == true { return }
            await Task.yield()
        }
        throw TestError("Transfer \(id) did not fail.")
    }

    @Test func `files that nobody came for in a week go when the daemon starts`() throws {
        let week = ResumableFiles.keptFor
        let harness = try QueueHarness { directory in
            try TestFiles.makeDirectory(directory.path("resumable"))
            for (name, age) in [("0a", week + 60), ("0b", week - 60)] {
                let path = directory.path("resumable/\(name)")
                try TestFiles.write("x", to: path)
                var times = [
                    timespec(tv_sec: time(nil) - age, tv_nsec: 0), timespec(tv_sec: time(nil) - age, tv_nsec: 0),
                ]
                utimensat(AT_FDCWD, path, &times, 0)
            }
        }
        try eventually("the old file goes") { harness.keptFiles == ["0b"] ? true : nil }
    }

    @Test func `a crash after a file got its second name loses nothing`() throws {
        try TemporaryDirectory.with { directory in
            try TestFiles.write(Array("beginning".utf8), to: directory.path("x.part"), mode: 0o600)
            let folder = directory.path("resumable")
            #expect(ResumableFiles.keep(directory.path("x.part"), in: folder, as: "0a") == 9)
            // The end was never committed: the transfer continues, and its next end is kept under another name.
            #expect(try TestFiles.text(directory.path("x.part")) == "beginning")
            var status = stat()
            #expect(stat(directory.path("x.part"), &status) == 0)
            let known = FileIdentity(status)
            #expect(ResumableFiles.keep(directory.path("x.part"), known: known, in: folder, as: "0b") == 9)
            #expect(TestFiles.names(in: folder).sorted() == ["0a", "0b"])
        }
    }

    @Test func `a file that is missing, empty or no file is not kept`() throws {
        try TemporaryDirectory.with { directory in
            let folder = directory.path("resumable")
            try TestFiles.write("", to: directory.path("empty"))
            try TestFiles.makeDirectory(directory.path("folder"))
            for name in ["missing", "empty", "folder"] {
                #expect(ResumableFiles.keep(directory.path(name), in: folder, as: "0a") == nil)
            }
            #expect(TestFiles.names(in: folder).isEmpty)
        }
    }

    // Long responses to uploads also go through the queue.

    @Test func `the whole response to a session's upload is there when its end is told`() async throws {
        let body = FaultFile(random: 300_000, seed: 5).bytes
        server.script(
            "/in",
            FaultAnswer {
                try $0.readBody()
                try $0.respond(201, body: body)
            }
        )
        let path = harness.directory.path("source")
        try TestFiles.makeRandom(path, bytes: 1000, seed: 1)
        var status = stat()
        #expect(stat(path, &status) == 0)
        let source = TransferSpec.UploadSource(path: path, identity: FileIdentity(status))
        var spec = TransferSpec(direction: .upload(source), url: try RequestURL(server.url("/in")), owner: "app")
        spec.sessionTask = SessionTaskKey(session: "s", task: 1)
        let id = try #require(try await harness.queue.submit([spec]).first)
        let answer = try #require(try harness.end(of: id).outcome?.answer)
        #expect(try TestFiles.read(try #require(answer.bodyPath)) == body)
        #expect(await harness.queue.snapshots([id]).first?.transfer.outcome?.answer == answer)
    }
}
