// SPDX-License-Identifier: Apache-2.0
import Offstage
import OffstageTestSupport
import Testing

@Suite struct `Tasks of a background session` {
    private let server: FaultServer

    init() throws {
        server = try FaultServer()
        server.script("/", .status(200, body: "hello"))
    }

    @Test func `a task knows its requests, its number and its description`() async throws {
        let session = SessionHome.session(RecordingDelegate())
        defer { session.invalidateAndCancel() }
        let file = try SessionHome.makeFile(10)
        var request = try SessionHome.request(server.url("/path?query"), method: "PATCH")
        request.setValue("yes", forHTTPHeaderField: "X-Here")
        let upload = session.uploadTask(with: request, fromFile: file.url)
        let download = session.downloadTask(with: try SessionHome.url(server.url("/")))
        for request in [upload.originalRequest, upload.currentRequest] {
            #expect(request?.url == URL(string: server.url("/path?query")))
            #expect(request?.httpMethod == "PATCH")
            #expect(request?.value(forHTTPHeaderField: "X-Here") == "yes")
        }
        #expect(download.originalRequest?.httpMethod == "GET")
        #expect(upload.taskIdentifier > 0)
        #expect(download.taskIdentifier != upload.taskIdentifier)
        #expect(upload.taskDescription == nil)
        upload.taskDescription = "a photo"
        #expect(upload.taskDescription == "a photo")
        #expect(upload.response == nil)
        #expect(upload.error == nil)
        #expect(upload.countOfBytesClientExpectsToSend == NSURLSessionTransferSizeUnknown)
        #expect(upload.countOfBytesClientExpectsToReceive == NSURLSessionTransferSizeUnknown)
        upload.countOfBytesClientExpectsToSend = 200
        upload.countOfBytesClientExpectsToReceive = 300
        #expect(upload.countOfBytesClientExpectsToSend == 200)
        #expect(upload.countOfBytesClientExpectsToReceive == 300)
        let listed = await session.allTasks
        #expect(Set(listed.map { ObjectIdentifier($0) }) == [ObjectIdentifier(upload), ObjectIdentifier(download)])
    }

    @Test func `tasks are listed by kind until they have ended`() async throws {
        let gate = FaultGate()
        server.script("/held", .held(gate, then: .status(200)))
        let delegate = RecordingDelegate()
        let session = SessionHome.session(delegate)
        defer { session.invalidateAndCancel() }
        let file = try SessionHome.makeFile(10)
        let upload = session.uploadTask(
            with: try SessionHome.request(server.url("/held"), method: "PUT"),
            fromFile: file.url
        )
        let download = session.downloadTask(with: try SessionHome.url(server.url("/held")))
        let resting = session.downloadTask(with: try SessionHome.url(server.url("/held")))
        upload.resume()
        download.resume()
        let (data, uploads, downloads) = await session.tasks
        #expect(data.isEmpty)
        #expect(uploads.map(\.taskIdentifier) == [upload.taskIdentifier])
        #expect(Set(downloads.map(\.taskIdentifier)) == [download.taskIdentifier, resting.taskIdentifier])
        let counts = await withCheckedContinuation { continuation in
            session.getTasksWithCompletionHandler { continuation.resume(returning: [$0.count, $1.count, $2.count]) }
        }
        #expect(counts == [0, 1, 2])
        gate.open()
        try delegate.waitForEnd(of: upload)
        try delegate.waitForEnd(of: download)
        let left = await withCheckedContinuation { continuation in
            session.getAllTasks { continuation.resume(returning: $0.map(\.taskIdentifier)) }
        }
        #expect(left == [resting.taskIdentifier])
    }

    @Test func `suspensions nest, and a task rests until the last is undone`() throws {
        let file = FaultFile(random: 3_000_000, seed: 8)
        server.script("/file", .stallsInBody(file, after: 1_500_000), .file(file))
        let delegate = RecordingDelegate()
        let session = SessionHome.session(delegate)
        defer { session.invalidateAndCancel() }
        let task = session.downloadTask(with: try SessionHome.url(server.url("/file")))
        #expect(task.state == .suspended)
        task.resume()
        #expect(task.state == .running)
        try server.waitForBodyBytes("/file", 1_500_000)
        task.suspend()
        task.suspend()
        #expect(task.state == .suspended)
        task.resume()
        #expect(task.state == .suspended)
        try eventually("the daemon lets the connection go") { server.active == 0 ? true : nil }
        #expect(server.requests("/file").count == 1)
        task.resume()
        #expect(task.state == .running)
        #expect(try delegate.waitForEnd(of: task) == nil)
        #expect(task.state == .completed)
        #expect(delegate.file(of: task) == file.bytes)
        #expect(server.requests("/file").count == 2)
    }

    @Test func `a cancelled task ends with NSURLErrorCancelled`() throws {
        server.script("/never", .stalls)
        let delegate = RecordingDelegate()
        let session = SessionHome.session(delegate)
        defer { session.invalidateAndCancel() }
        let running = session.downloadTask(with: try SessionHome.url(server.url("/never")))
        running.resume()
        try server.waitForRequests("/never", count: 1)
        let resting = session.downloadTask(with: try SessionHome.url(server.url("/never")))
        for task in [running, resting] {
            task.cancel()
            let error = try #require(try delegate.waitForEnd(of: task))
            #expect(error.domain == NSURLErrorDomain)
            #expect(error.code == NSURLErrorCancelled)
            #expect(error.userInfo[NSURLErrorFailingURLErrorKey] as? URL == URL(string: server.url("/never")))
            #expect((task.error as? URLError)?.code == .cancelled)
            #expect(task.state == .completed)
        }
        #expect(server.requests("/never").count == 1)
    }

    @Test func `a task with a begin date asks before it begins`() throws {
        for path in ["/first", "/second", "/third"] { server.script(path, .status(200)) }
        let delegate = RecordingDelegate { _ in
        } delayed: { request in
            switch request.url?.path {
            case "/first": return (.continueLoading, nil)
            case "/second":
                var other = request
                other.setValue("fresh", forHTTPHeaderField: "X-Token")
                return (.useNewRequest, other)
            default: return (.cancel, nil)
            }
        }
        let session = SessionHome.session(delegate)
        defer { session.invalidateAndCancel() }
        let begun = TimeLimit.now
        let tasks = try ["/first", "/second", "/third"].map {
            session.downloadTask(with: try SessionHome.url(server.url($0)))
        }
        for task in tasks {
            task.earliestBeginDate = Date(timeIntervalSinceNow: 1)
            task.resume()
        }
        #expect(try delegate.waitForEnd(of: tasks[0]) == nil)
        #expect(try delegate.waitForEnd(of: tasks[1]) == nil)
        #expect(try delegate.waitForEnd(of: tasks[2])?.code == NSURLErrorCancelled)
        for task in tasks { #expect(delegate.calls("delayed", of: task).count == 1) }
        #expect(server.requests.allSatisfy { $0.receivedAt - begun > 0.95 })
        #expect(server.requests("/second").first?.headers["X-Token"] == "fresh")
        #expect(server.requests("/third").isEmpty)
    }

    @Test func `the progress of a task is that of its bytes`() throws {
        let gate = FaultGate()
        server.script("/held", .held(gate, then: .file(FaultFile(random: 100_000, seed: 9))))
        let delegate = RecordingDelegate()
        let session = SessionHome.session(delegate)
        defer { session.invalidateAndCancel() }
        let task = session.downloadTask(with: try SessionHome.url(server.url("/held")))
        let progress: Progress = task.progress
        task.resume()
        try server.waitForRequests("/held", count: 1)
        #expect(!progress.isFinished)
        gate.open()
        #expect(try delegate.waitForEnd(of: task) == nil)
        #expect(progress === task.progress)
        #expect(progress.isFinished)
        #expect(progress.fractionCompleted == 1)

        server.script("/never", .stalls)
        let other = session.downloadTask(with: try SessionHome.url(server.url("/never")))
        other.resume()
        other.progress.cancel()
        #expect(try delegate.waitForEnd(of: other)?.code == NSURLErrorCancelled)
    }

    @Test func `the priority of a task reaches the daemon`() throws {
        let gate = FaultGate()
        server.script("/held", .held(gate, then: .status(200)))
        for path in ["/low", "/ordinary", "/high"] { server.script(path, .status(200)) }
        let delegate = RecordingDelegate()
        let session = SessionHome.session(delegate) { $0.httpMaximumConnectionsPerHost = 1 }
        defer { session.invalidateAndCancel() }
        session.downloadTask(with: try SessionHome.url(server.url("/held"))).resume()
        try server.waitForRequests("/held", count: 1)
        let tasks = try ["/low", "/ordinary", "/high"].map {
            session.downloadTask(with: try SessionHome.url(server.url($0)))
        }
        #expect(tasks[1].priority == URLSessionTask.defaultPriority)
        tasks[0].priority = URLSessionTask.lowPriority
        for task in tasks { task.resume() }
        // After the hand-over.
        tasks[2].priority = URLSessionTask.highPriority
        let barrier = Monitor(false)
        session.flush { barrier.withLock { $0 = true } }
        let flushed = barrier.awaited { $0 ? true : nil }
        #expect(flushed == true)
        gate.open()
        for task in tasks { #expect(try delegate.waitForEnd(of: task) == nil) }
        #expect(server.requests.map(\.path) == ["/held", "/high", "/ordinary", "/low"])
    }

    @Test func `metrics come before the end`() throws {
        let metrics = Monitor<URLSessionTaskMetrics?>(nil)
        final class Collector: NSObject, URLSessionTaskDelegate {
            let metrics: Monitor<URLSessionTaskMetrics?>
            let ended = Monitor(false)
            init(_ metrics: Monitor<URLSessionTaskMetrics?>) { self.metrics = metrics }
            func urlSession(
                _ session: URLSession,
                task: URLSessionTask,
                didFinishCollecting metrics: URLSessionTaskMetrics
            ) {
                self.metrics.withLock { $0 = metrics }
            }
            func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
                ended.withLock { $0 = true }
            }
        }
        let delegate = Collector(metrics)
        let session = SessionHome.session(delegate)
        defer { session.invalidateAndCancel() }
        let begun = Date()
        session.downloadTask(with: try SessionHome.url(server.url("/"))).resume()
        let ended = delegate.ended.awaited { $0 ? true : nil }
        #expect(ended == true)
        let collected = metrics.awaited { $0 }
        let found = try #require(collected)
        #expect(found.taskInterval.start >= begun.addingTimeInterval(-1))
        #expect(found.taskInterval.end <= Date())
        let transaction = try #require(found.transactionMetrics.first)
        #expect(transaction.request.url?.path == "/")
        #expect((transaction.response as? HTTPURLResponse)?.statusCode == 200)
    }

    @Test func `a data task works while the program lives`() async throws {
        let delegate = RecordingDelegate()
        let session = SessionHome.session(delegate)
        defer { session.invalidateAndCancel() }
        let task: URLSessionDataTask = session.dataTask(with: try SessionHome.url(server.url("/")))
        task.resume()
        #expect(try delegate.waitForEnd(of: task) == nil)
        #expect(delegate.data(of: task) == Array("hello".utf8))
        #expect(delegate.names(of: task).contains("response"))
        let (data, response) = try await session.data(from: SessionHome.url(server.url("/")))
        #expect(String(decoding: data, as: UTF8.self) == "hello")
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        let (again, _) = try await session.data(for: SessionHome.request(server.url("/")))
        #expect(again == data)
        let handed = Monitor<Data?>(nil)
        let other = session.dataTask(with: try SessionHome.url(server.url("/"))) { data, _, _ in
            handed.withLock { $0 = data }
        }
        other.resume()
        let last = handed.awaited { $0 }
        #expect(last == data)
    }
}
