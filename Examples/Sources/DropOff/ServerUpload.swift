// SPDX-License-Identifier: Apache-2.0
import UIKit

/// Uploads one file to a server, in the process itself.
final class ServerUpload: NSObject, URLSessionTaskDelegate {
    private let log: AppLog
    private var backgroundTask = UIBackgroundTaskIdentifier.invalid
    private var quarters: Int64 = 0
    private lazy var session = URLSession(configuration: .default, delegate: self, delegateQueue: .main)

    init(log: AppLog) {
        self.log = log
    }

    func upload(_ file: URL, to server: URL, inBackgroundTask: Bool) {
        if inBackgroundTask {
            backgroundTask = UIApplication.shared.beginBackgroundTask(withName: "drop off") { [weak self] in
                self?.log.note("time is up")
                self?.endBackgroundTask()
            }
            log.note("task begun")
        }
        var request = URLRequest(url: server)
        request.httpMethod = "PUT"
        log.note("upload begun")
        session.uploadTask(with: request, fromFile: file).resume()
    }

    private func endBackgroundTask() {
        guard backgroundTask != .invalid else { return }
        UIApplication.shared.endBackgroundTask(backgroundTask)
        backgroundTask = .invalid
        log.note("task ended")
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        while quarters < 4 * totalBytesSent / totalBytesExpectedToSend {
            quarters += 1
            log.note("sent \(25 * quarters) %")
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        if let error = error as NSError? {
            log.note("upload failed \(error.code)")
        } else {
            log.note("upload answered \((task.response as? HTTPURLResponse)?.statusCode ?? 0)")
        }
        endBackgroundTask()
    }
}
