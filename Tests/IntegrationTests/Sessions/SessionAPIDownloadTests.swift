// SPDX-License-Identifier: Apache-2.0
import Offstage
import OffstageTestSupport
import Testing

@Suite struct `Downloads of a background session` {
    private let server: FaultServer

    init() throws {
        server = try FaultServer()
    }

    @Test func `a download is a file that stays as long as the delegate's call`() throws {
        let file = FaultFile(random: 400_000, seed: 5)
        server.script("/file", .file(file))
        let kept = URL(fileURLWithPath: SessionHome.daemon.path(UUID().uuidString))
        let mover = RecordingDelegate { location in try? FileManager.default.moveItem(at: location, to: kept) }
        let first = SessionHome.session(mover)
        defer { first.invalidateAndCancel() }
        let task = first.downloadTask(with: try SessionHome.url(server.url("/file")))
        task.resume()
        #expect(try mover.waitForEnd(of: task) == nil)
        #expect(mover.names(of: task) == ["created", "written", "file", "metrics", "completed"])
        #expect(mover.file(of: task) == file.bytes)
        #expect(try TestFiles.read(kept.path) == file.bytes)
        #expect(mover.calls("written", of: task).last?.numbers.suffix(2) == [400_000, 400_000])
        #expect(task.countOfBytesReceived == 400_000)
        #expect(task.countOfBytesExpectedToReceive == 400_000)

        let looker = RecordingDelegate()
        let second = SessionHome.session(looker)
        defer { second.invalidateAndCancel() }
        let left = second.downloadTask(with: try SessionHome.request(server.url("/file")))
        left.resume()
        #expect(try looker.waitForEnd(of: left) == nil)
        #expect(looker.file(of: left) == file.bytes)
        let location = try #require(looker.location(of: left))
        #expect(!TestFiles.exists(location.path), "a file that nobody moved is deleted")
    }

    @Test func `a cancelled download goes on from its resume data`() async throws {
        let file = FaultFile(random: 6_000_000, seed: 6)
        server.script("/file", .file(file, rate: 3_000_000))
        let delegate = RecordingDelegate()
        let session = SessionHome.session(delegate)
        defer { session.invalidateAndCancel() }
        let task = session.downloadTask(with: try SessionHome.url(server.url("/file")))
        task.resume()
        try await waitForBytes(2_000_000, of: task, delegate)
        let handed = Monitor<Data?>(nil)
        task.cancel(byProducingResumeData: { data in handed.withLock { $0 = data } })
        let error = try #require(try delegate.waitForEnd(of: task))
        #expect(error.code == NSURLErrorCancelled)
        let produced = handed.awaited { $0 }
        let data = try #require(produced)
        #expect(error.userInfo[NSURLSessionDownloadTaskResumeData] as? Data == data)
        #expect((task.error as? URLError)?.downloadTaskResumeData == data)

        let second = session.downloadTask(withResumeData: data)
        second.resume()
        try await waitForBytes(3_500_000, of: second, delegate)
        let later = try #require(await second.cancelByProducingResumeData())
        try delegate.waitForEnd(of: second)

        let content = Monitor<[UInt8]?>(nil)
        let third = session.downloadTask(withResumeData: later) { location, _, _ in
            content.withLock { $0 = location.flatMap { try? TestFiles.read($0.path) } ?? [] }
        }
        third.resume()
        let arrived = content.awaited { $0 }
        #expect(arrived == file.bytes)
        let call = try #require(delegate.calls("resumed", of: second).first)
        #expect(call.numbers[0] >= 1_000_000)
        #expect(call.numbers[1] == 6_000_000)
        let starts = server.requests("/file").map { $0.rangeStart ?? 0 }
        #expect(starts.count == 3)
        #expect(starts == starts.sorted() && starts[2] > starts[1])
    }

    @Test func `a redirect is followed without a word to the delegate`() throws {
        server.script("/old", .redirect(to: server.url("/new")))
        server.script("/new", .status(200, body: "moved here"))
        let delegate = RecordingDelegate()
        let session = SessionHome.session(delegate)
        defer { session.invalidateAndCancel() }
        let task = session.downloadTask(with: try SessionHome.url(server.url("/old")))
        task.resume()
        #expect(try delegate.waitForEnd(of: task) == nil)
        #expect(delegate.file(of: task) == Array("moved here".utf8))
        #expect(!delegate.names(of: task).contains("redirect"))
        #expect(task.response?.url?.path == "/new")
        #expect(task.originalRequest?.url?.path == "/old")
    }

    private func waitForBytes(_ count: Int64, of task: URLSessionTask, _ delegate: RecordingDelegate) async throws {
        let number = task.taskIdentifier
        try delegate.wait(for: "\(count) bytes") { state in
            state.calls.contains { $0.name == "written" && $0.task == number && $0.numbers[1] >= count }
        }
    }
}
