// SPDX-License-Identifier: Apache-2.0
import Offstage

/// Uploads and downloads in turn, one at a time: when the delegate was told of the body and of the end of each.
enum Latency {
    static func run(_ identifier: String, count: Int, url: String, file: String) throws {
        let delegate = Watcher()
        let session = makeSession(identifier, delegate)
        var rows: [[String: Any]] = []
        for number in 0..<count {
            let isUpload = number.isMultiple(of: 2)
            let path = "\(isUpload ? "up" : "down")-\(number)"
            var request = URLRequest(url: try makeURL("\(url)/\(path)"))
            request.httpMethod = isUpload ? "PUT" : "GET"
            let task: URLSessionTask =
                isUpload
                ? session.uploadTask(with: request, fromFile: URL(fileURLWithPath: file))
                : session.downloadTask(with: request)
            task.resume()
            let (body, end) = delegate.wait()
            rows.append(["path": path, "body": body, "end": end])
        }
        try report(["rows": rows])
        session.invalidateAndCancel()
    }
}

/// Notes when the body and when the end of the one task that runs was told.
///
/// Unchecked: one task runs at a time, and what it noted is read after its end.
final class Watcher: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate, @unchecked Sendable {
    // Written on the delegate queue before `ended` is signalled, and read after it.
    private var body = 0.0
    private var end = 0.0
    private let ended = DispatchSemaphore(value: 0)

    func wait() -> (body: Double, end: Double) {
        ended.wait()
        defer { body = 0 }
        return (body, end)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        if body == 0 { body = now() }
    }

    func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        body = now()
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        end = now()
        if let error { FileHandle.standardError.write(Data("\(error)\n".utf8)) }
        ended.signal()
    }
}
