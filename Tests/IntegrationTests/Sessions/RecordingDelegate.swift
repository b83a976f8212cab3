// SPDX-License-Identifier: Apache-2.0
import Offstage
import OffstageTestSupport

/// Records a delegate's calls, in order, and lets a test wait for them.
final class RecordingDelegate: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {
    struct Call: Sendable, Equatable {
        /// The method, as one word: `created`, `sent`, `written`, `resumed`, `response`, `data`, `file`, `metrics`,
        /// `completed`, `redirect`, `finished events`, `invalid`, `challenge`, `delayed`.
        var name: String
        /// The task's number; nil for the session itself.
        var task: Int?
        var numbers: [Int64] = []
        var text = ""
    }

    struct State: Sendable {
        var calls: [Call] = []
        var data: [Int: [UInt8]] = [:]
        var files: [Int: [UInt8]] = [:]
        var locations: [Int: URL] = [:]
        var errors: [Int: NSError] = [:]
        var queues: Set<ObjectIdentifier> = []
    }

    typealias Challenged =
        @Sendable (URLAuthenticationChallenge) -> (URLSession.AuthChallengeDisposition, URLCredential?)

    private let state = Monitor(State())
    /// Handles a file that has arrived, before the call returns.
    private let takeFile: @Sendable (URL) -> Void
    private let challenged: Challenged
    private let delayed: @Sendable (URLRequest) -> (URLSession.DelayedRequestDisposition, URLRequest?)

    init(
        takeFile: @escaping @Sendable (URL) -> Void = { _ in },
        challenged: @escaping Challenged = { _ in (.performDefaultHandling, nil) },
        delayed: @escaping @Sendable (URLRequest) -> (URLSession.DelayedRequestDisposition, URLRequest?) = { _ in
            (.continueLoading, nil)
        }
    ) {
        self.takeFile = takeFile
        self.challenged = challenged
        self.delayed = delayed
    }

    var calls: [Call] { state.withLock { $0.calls } }

    /// The names of a task's calls, with repeated names collapsed into one.
    func names(of task: URLSessionTask) -> [String] {
        let number = task.taskIdentifier
        return state.withLock { $0.calls.filter { $0.task == number }.map(\.name) }
            .reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }

    func calls(_ name: String, of task: URLSessionTask) -> [Call] {
        let number = task.taskIdentifier
        return state.withLock { $0.calls.filter { $0.task == number && $0.name == name } }
    }

    func data(of task: URLSessionTask) -> [UInt8] {
        let number = task.taskIdentifier
        return state.withLock { $0.data[number] ?? [] }
    }

    /// The content of a task's file during the call.
    func file(of task: URLSessionTask) -> [UInt8]? {
        let number = task.taskIdentifier
        return state.withLock { $0.files[number] }
    }

    func location(of task: URLSessionTask) -> URL? {
        let number = task.taskIdentifier
        return state.withLock { $0.locations[number] }
    }

    /// The queues on which calls were made.
    var queues: Set<ObjectIdentifier> { state.withLock { $0.queues } }

    /// Waits for a task's end.
    ///
    /// - Returns: its error; nil for success.
    @discardableResult
    func waitForEnd(of task: URLSessionTask, within seconds: Double = 30) throws -> NSError? {
        let number = task.taskIdentifier
        try wait(for: "task \(number) to complete", within: seconds) { state in
            state.calls.contains { $0.name == "completed" && $0.task == number }
        }
        return state.withLock { $0.errors[number] }
    }

    /// Waits for a call that satisfies `condition`.
    func wait(for what: String, within seconds: Double = 30, until condition: (State) -> Bool) throws {
        guard state.wait(TimeLimit(seconds: seconds), until: { condition($0) ? true : nil }) == true else {
            throw TestError("Waited \(seconds) s in vain for \(what); there was: \(calls.map(\.name))")
        }
    }

    private func note(
        _ name: String,
        _ task: URLSessionTask? = nil,
        _ numbers: [Int64] = [],
        _ text: String = "",
        also change: (inout State) -> Void = { _ in }
    ) {
        let call = Call(name: name, task: task?.taskIdentifier, numbers: numbers, text: text)
        let queue = OperationQueue.current.map { ObjectIdentifier($0) }
        state.withLock {
            change(&$0)
            if let queue, name != "created" { $0.queues.insert(queue) }
            $0.calls.append(call)
        }
    }

    func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) { note("created", task) }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        note("sent", task, [bytesSent, totalBytesSent, totalBytesExpectedToSend])
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        note("response", dataTask)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        note("data", dataTask, [Int64(data.count)]) { $0.data[dataTask.taskIdentifier, default: []] += data }
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        note("written", downloadTask, [bytesWritten, totalBytesWritten, totalBytesExpectedToWrite])
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) {
        note("resumed", downloadTask, [fileOffset, expectedTotalBytes])
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        let content = try? TestFiles.read(location.path)
        takeFile(location)
        note("file", downloadTask) {
            $0.files[downloadTask.taskIdentifier] = content
            $0.locations[downloadTask.taskIdentifier] = location
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
        note("metrics", task, [Int64(metrics.transactionMetrics.count)])
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        note("completed", task) { $0.errors[task.taskIdentifier] = error.map { $0 as NSError } }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        note("redirect", task)
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willBeginDelayedRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
    ) {
        note("delayed", task)
        let (disposition, request) = delayed(request)
        completionHandler(disposition, request)
    }

    func urlSession(
        _ session: URLSession,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        note("challenge", nil, [], challenge.protectionSpace.authenticationMethod)
        let (disposition, credential) = challenged(challenge)
        completionHandler(disposition, credential)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        note("challenge", task, [Int64(challenge.previousFailureCount)], challenge.protectionSpace.authenticationMethod)
        let (disposition, credential) = challenged(challenge)
        completionHandler(disposition, credential)
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) { note("finished events") }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        note("invalid", nil, [], error.map { "\($0)" } ?? "")
    }
}
