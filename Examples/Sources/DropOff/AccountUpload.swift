// SPDX-License-Identifier: Apache-2.0
import UIKit

/// Uploads one file to the Dropbox account that the daemon is signed in to: with callbacks and a background task, like
/// `ClientUpload`, or by the daemon alone. Either way, the app may be gone before the file arrives.
final class AccountUpload: NSObject {
    /// The system's completion handler, to be called when all events have been handled.
    var eventsHandled: (() -> Void)?

    private let log: AppLog
    private var backgroundTask = UIBackgroundTaskIdentifier.invalid
    private var quarters: Int64 = 0
    private lazy var session = URLSession(
        configuration: .background(withIdentifier: "drop off"),
        delegate: self,
        delegateQueue: .main
    )

    init(log: AppLog) {
        self.log = log
    }

    /// Creates the session, so that it receives the events of earlier launches.
    func reconnect() {
        _ = session
    }

    /// Begins a background task, uploads, handles success or failure, and ends the task.
    func upload(_ file: URL, to path: String) {
        backgroundTask = UIApplication.shared.beginBackgroundTask(withName: "drop off") { [weak self] in
            self?.log.note("time is up")
            self?.endBackgroundTask()
        }
        log.note("task begun")
        do {
            let task = try Uploader.dropbox(path: path).uploadTask(in: session, fromFile: file) { result in
                switch result {
                case .success(let file): self.log.note("uploaded \(file.path ?? file.name)")
                case .failure(let error): self.log.note("upload failed \((error as NSError).code)")
                }
                self.endBackgroundTask()
            }
            task.resume()
            log.note("upload begun")
        } catch {
            log.note("upload refused \(error.localizedDescription)")
            endBackgroundTask()
        }
    }

    /// Hands over the same file; the app is not needed any more.
    func handOver(_ file: URL, to path: String) {
        do {
            try Uploader.dropbox(path: path).uploadTask(in: session, fromFile: file).resume()
            log.note("handed over")
        } catch {
            log.note("upload refused \(error.localizedDescription)")
        }
    }

    private func endBackgroundTask() {
        guard backgroundTask != .invalid else { return }
        log.note("task ended")
        UIApplication.shared.endBackgroundTask(backgroundTask)
        backgroundTask = .invalid
    }
}

/// The events for a launch without a completion handler: one that handed over without it, and each after the first.
extension AccountUpload: URLSessionDataDelegate {
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        while quarters < 4 * totalBytesSent / max(1, totalBytesExpectedToSend) {
            quarters += 1
            log.note("sent \(25 * quarters) %")
        }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard let file = try? UploadedFile(reply: data) else { return }
        log.note("uploaded \(file.path ?? file.name)")
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        if let error = error as NSError? { log.note("upload failed \(error.code)") }
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        DispatchQueue.main.async {
            self.log.note("events handled")
            self.eventsHandled?()
            self.eventsHandled = nil
        }
    }
}
