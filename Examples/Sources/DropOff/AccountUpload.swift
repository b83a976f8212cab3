// SPDX-License-Identifier: Apache-2.0
import UIKit

/// Drops one file off at the Dropbox account that the daemon is signed in to: with callbacks and a background task
/// around them, as `ClientUpload` does, or by the daemon alone. Either way the app may be gone before the file is there.
final class AccountUpload: NSObject {
    /// What the system gave, to be called when all events have been handled.
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

    /// Makes the session, so that the events of earlier launches come.
    func reconnect() {
        _ = session
    }

    /// Begin a background task, upload, hear of success or failure, end the task.
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

    /// The same file, and nothing of the app is needed any more.
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

/// What a launch hears that has no handler: the one that handed over without, and each after the first.
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
