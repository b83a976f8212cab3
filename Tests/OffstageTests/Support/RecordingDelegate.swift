// SPDX-License-Identifier: Apache-2.0
import Offstage
import OffstageTestSupport

/// Records a delegate's calls, and moves downloaded files to the path in their `taskDescription`.
final class RecordingDelegate: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {
    let calls = Monitor<[String]>([])
    /// The answer to a challenge; nil for default handling.
    let credential: @Sendable (URLAuthenticationChallenge) -> URLCredential?
    let delayed: @Sendable (URLRequest) -> (URLSession.DelayedRequestDisposition, URLRequest?)

    init(
        credential: @escaping @Sendable (URLAuthenticationChallenge) -> URLCredential? = { _ in nil },
        delayed: @escaping @Sendable (URLRequest) -> (URLSession.DelayedRequestDisposition, URLRequest?) = { _ in
            (.continueLoading, nil)
        }
    ) {
        self.credential = credential
        self.delayed = delayed
    }

    func note(_ line: String) { calls.withLock { $0.append(line) } }

    /// Waits until a line with this beginning has been recorded.
    @discardableResult
    func line(_ beginning: String, within seconds: Double = 30) throws -> String {
        let found = calls.wait(TimeLimit(seconds: seconds)) { $0.first { $0.hasPrefix(beginning) } }
        guard let found else {
            throw TestError("'\(beginning)' was not called within \(seconds) s; only \(calls.withLock { $0 })")
        }
        return found
    }

    /// The recorded lines, without the progress, whose number of calls varies.
    var lines: [String] {
        calls.withLock { $0.filter { !$0.hasPrefix("sent") && !$0.hasPrefix("wrote") } }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceiveInformationalResponse response: HTTPURLResponse
    ) {
        let location = response.value(forHTTPHeaderField: "Location") ?? ""
        note("informed \(task.taskIdentifier) \(response.statusCode) \(location)")
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) { note("finished events") }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        note("invalid \(error.map { "\($0)" } ?? "nil")")
    }

    func urlSession(
        _ session: URLSession,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        note("session challenge \(challenge.protectionSpace.authenticationMethod) \(challenge.previousFailureCount)")
        answer(challenge, completionHandler)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        note("task challenge \(challenge.protectionSpace.authenticationMethod) \(challenge.previousFailureCount)")
        answer(challenge, completionHandler)
    }

    private func answer(
        _ challenge: URLAuthenticationChallenge,
        _ completionHandler: @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        if let credential = credential(challenge) {
            completionHandler(.useCredential, credential)
        } else {
            completionHandler(.performDefaultHandling, nil)
        }
    }

    func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {
        note("created \(task.taskIdentifier)")
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willBeginDelayedRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
    ) {
        note("begins \(task.taskIdentifier)")
        let (choice, new) = delayed(request)
        completionHandler(choice, new)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        note("sent \(task.taskIdentifier) \(totalBytesSent) of \(totalBytesExpectedToSend)")
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        note("body \(dataTask.taskIdentifier) \(data.count) \(String(decoding: data.prefix(60), as: UTF8.self))")
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        note("file \(downloadTask.taskIdentifier) \(location.path)")
        guard let target = downloadTask.taskDescription, target.hasPrefix("/") else { return }
        do {
            try FileManager.default.moveItem(atPath: location.path, toPath: target)
        } catch {
            note("not moved: \(error)")
        }
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        note("wrote \(downloadTask.taskIdentifier) \(totalBytesWritten) of \(totalBytesExpectedToWrite)")
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) {
        note("resumed \(downloadTask.taskIdentifier) \(fileOffset > 0) \(expectedTotalBytes)")
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
        note("metrics \(task.taskIdentifier)")
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let code = (error as? URLError).map { "\($0.code.rawValue)" } ?? "nil"
        let status = (task.response as? HTTPURLResponse).map { "\($0.statusCode)" } ?? "none"
        note("completed \(task.taskIdentifier) \(code) \(status)")
    }
}
