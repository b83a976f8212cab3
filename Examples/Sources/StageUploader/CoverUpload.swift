// SPDX-License-Identifier: Apache-2.0
import UIKit

/// The upload of an album's cover: needed at once, so the app sends it itself, and asks for the time to finish.
final class CoverUpload: NSObject, URLSessionTaskDelegate {
    private let log: AppLog
    private var isSending = false
    private var backgroundTask = UIBackgroundTaskIdentifier.invalid
    private lazy var session = URLSession(configuration: .default, delegate: self, delegateQueue: .main)

    init(log: AppLog) {
        self.log = log
    }

    func send(_ file: URL, to server: URL) {
        guard !isSending else { return }
        isSending = true
        backgroundTask = UIApplication.shared.beginBackgroundTask(withName: "cover") {
            self.log.note("time-is-up cover")
            self.end()
        }
        var request = URLRequest(url: server)
        request.httpMethod = "PUT"
        session.uploadTask(with: request, fromFile: file).resume()
        log.note("sending cover")
    }

    private func end() {
        guard backgroundTask != .invalid else { return }
        UIApplication.shared.endBackgroundTask(backgroundTask)
        backgroundTask = .invalid
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        if let error {
            log.note("failed cover \((error as NSError).code)")
        } else {
            log.note("sent cover \((task.response as? HTTPURLResponse)?.statusCode ?? 0)")
        }
        isSending = false
        end()
    }
}
