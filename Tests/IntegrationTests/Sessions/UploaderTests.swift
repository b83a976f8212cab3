// SPDX-License-Identifier: Apache-2.0
import DropboxEmulator
import Offstage
import OffstageTestSupport
import Testing

/// `Uploader` in this process, with the daemon and an emulated account.
@Suite struct `Uploads of an app to Dropbox` {
    private let emulator: DropboxEmulatorServer
    private let account = "a-\(UUID().uuidString)"

    init() throws {
        emulator = try DropboxEmulatorServer()
        try SessionHome.daemon.signIn(to: emulator, as: account)
    }

    @Test func `a delegate is told as of any upload, and the body is Dropbox's description of the file`() throws {
        let delegate = RecordingDelegate()
        let session = SessionHome.session(delegate) { $0.httpAdditionalHeaders = ["X-App": "secret"] }
        defer { session.invalidateAndCancel() }
        let file = try SessionHome.makeFile(300_000)
        let task = try Uploader.dropbox(account: account, path: "/Photos/ä.jpg")
            .uploadTask(in: session, fromFile: file.url)
        #expect(task.state == .suspended)
        task.resume()
        #expect(try delegate.waitForEnd(of: task) == nil)
        #expect(delegate.names(of: task) == ["created", "sent", "data", "metrics", "completed"])
        #expect(delegate.calls("sent", of: task).last?.numbers.suffix(2) == [300_000, 300_000])
        #expect((task.response as? HTTPURLResponse)?.statusCode == 200)
        let uploaded = try UploadedFile(reply: Data(delegate.data(of: task)))
        let there = try #require(emulator.file("/Photos/ä.jpg"))
        #expect(uploaded.name == "ä.jpg" && uploaded.path == "/Photos/ä.jpg" && uploaded.size == 300_000)
        #expect(uploaded.revision == there.rev && uploaded.identifier == there.id)
        #expect(uploaded.contentHash == there.contentHash)
    }

    @Test func `progress counts the file's bytes and never goes back, whatever is sent twice`() throws {
        let delegate = RecordingDelegate()
        let session = SessionHome.session(delegate)
        defer { session.invalidateAndCancel() }
        let size = 24 << 20
        let file = try SessionHome.makeFile(size)
        emulator.setFaults([
            .init(.cut(at: 5 << 20, keep: false), on: .append, .call(1)),
            .init(.slow(latency: 0, bytesPerSecond: 16_000_000)),
        ])
        let task = try Uploader.dropbox(account: account, path: "/big").uploadTask(in: session, fromFile: file.url)
        task.resume()
        #expect(try delegate.waitForEnd(of: task, within: 60) == nil)
        let totals = delegate.calls("sent", of: task).map { $0.numbers[1] }
        #expect(totals == totals.sorted() && totals.last == Int64(size))
        let sent = delegate.calls("sent", of: task).map { $0.numbers[0] }.reduce(0, +)
        #expect(sent == Int64(size), "each byte is told of once")
        #expect(emulator.file("/big")?.size == Int64(size))
        #expect(emulator.record.commits == 1)
    }

    @Test func `a handler gets the file, or an error with a sentence`() throws {
        let session = SessionHome.session()
        defer { session.invalidateAndCancel() }
        let results = Monitor<[Result<UploadedFile, any Error>]>([])
        let note: @Sendable (Result<UploadedFile, any Error>) -> Void = { result in
            results.withLock { $0.append(result) }
        }
        let first = try SessionHome.makeFile(1000, seed: 1)
        let second = try SessionHome.makeFile(2000, seed: 2)
        try Uploader.dropbox(account: account, path: "/a")
            .uploadTask(in: session, fromFile: first.url, completionHandler: note).resume()
        let file = try #require(results.awaited { $0.count == 1 ? $0[0] : nil }).get()
        #expect(file.path == "/a")
        try Uploader.dropbox(account: account, path: "/a")
            .uploadTask(in: session, fromFile: second.url, completionHandler: note).resume()
        let failure = try #require(results.awaited { $0.count == 2 ? $0[1] : nil })
        guard case .failure(let error as URLError) = failure else {
            Issue.record("\(failure)")
            return
        }
        #expect(error.code == .cannotCreateFile)
        #expect(error.localizedDescription.hasPrefix("The transfer failed: another file is already at"), "\(error)")
        try Uploader.dropbox(account: account, path: "/a", mode: .update(revision: file.revision))
            .uploadTask(in: session, fromFile: second.url, completionHandler: note).resume()
        let count = results.awaited { $0.count == 3 ? $0.count : nil }
        #expect(count == 3)
        #expect(emulator.file("/a")?.size == 2000)
    }

    @Test func `events come one after the other, the last with the file`() async throws {
        let session = SessionHome.session()
        defer { session.invalidateAndCancel() }
        let file = try SessionHome.makeFile(9 << 20)
        emulator.setFaults([.init(.slow(latency: 0, bytesPerSecond: 12_000_000), on: .append)])
        var sent: [Int64] = []
        var uploaded: UploadedFile?
        let uploader = Uploader.dropbox(account: account, path: "/a", mode: .overwrite, autorename: true)
        for try await event in try uploader.upload(fromFile: file.url, in: session) {
            switch event {
            case .progress(let bytes, let total):
                sent.append(bytes)
                #expect(total == 9 << 20)
            case .uploaded(let file): uploaded = file
            }
        }
        #expect(sent == sent.sorted() && sent.last == 9 << 20)
        #expect(uploaded?.size == 9 << 20)
    }

    @Test func `a delayed upload goes where it was meant to, whatever request the delegate returns`() throws {
        let delegate = RecordingDelegate { _ in
        } delayed: { request in
            (.useNewRequest, URL(string: "http://elsewhere.invalid/").map { URLRequest(url: $0) } ?? request)
        }
        let session = SessionHome.session(delegate)
        defer { session.invalidateAndCancel() }
        let file = try SessionHome.makeFile(1000)
        let task = try Uploader.dropbox(account: account, path: "/late").uploadTask(in: session, fromFile: file.url)
        let meant = task.currentRequest
        task.earliestBeginDate = Date(timeIntervalSinceNow: 0.5)
        task.resume()
        #expect(try delegate.waitForEnd(of: task) == nil)
        #expect(delegate.calls("delayed", of: task).count == 1)
        #expect(task.originalRequest == meant)
        #expect(task.currentRequest?.url?.host != "elsewhere.invalid")
        #expect(emulator.file("/late")?.size == 1000)
    }

    @Test func `an account that is not there is an end of the task, told with a sentence`() throws {
        let delegate = RecordingDelegate()
        let session = SessionHome.session(delegate)
        defer { session.invalidateAndCancel() }
        let file = try SessionHome.makeFile(1000)
        let task = try Uploader.dropbox(account: "nobody", path: "/a").uploadTask(in: session, fromFile: file.url)
        task.resume()
        let error = try #require(try delegate.waitForEnd(of: task))
        #expect(error.code == URLError.userAuthenticationRequired.rawValue)
        #expect(error.localizedDescription.contains("there is no account 'nobody'"), "\(error)")
    }

    @Test(arguments: [
        (Uploader.dropbox(path: "a"), "'a' is not a path in Dropbox"),
        (Uploader.dropbox(path: "/a/"), "add the file's name"),
        (Uploader.dropbox(account: "a b", path: "/a"), "cannot be an account's name"),
        (Uploader.dropbox(path: "/a", mode: .update(revision: "x")), "is not a revision"),
    ])
    func `what cannot be is refused when the task is made`(uploader: Uploader, sentence: String) throws {
        let session = SessionHome.session()
        defer { session.invalidateAndCancel() }
        let error = try #require(throws: URLError.self) {
            try uploader.uploadTask(in: session, fromFile: URL(fileURLWithPath: "/etc/hostname"))
        }
        #expect(error.localizedDescription.contains(sentence), "\(error)")
    }
}
