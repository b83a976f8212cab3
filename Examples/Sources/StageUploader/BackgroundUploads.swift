// SPDX-License-Identifier: Apache-2.0
import UIKit

/// The uploads of one background session: a file is moved to `Sending` when it is handed over, to `Sent` when it has
/// arrived, and back to `Outbox` when it has not.
final class BackgroundUploads: NSObject {
    let identifier: String
    /// What the system gave, to be called when all events have been handled.
    var eventsHandled: (() -> Void)?

    private let folder: URL
    private let log: AppLog
    private lazy var session: URLSession = {
        let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
        configuration.sessionSendsLaunchEvents = true
        return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    }()

    init(identifier: String, folder: URL, log: AppLog) {
        self.identifier = identifier
        self.folder = folder
        self.log = log
    }

    /// Makes the session, so that the events of earlier launches come.
    func reconnect() {
        _ = session
    }

    func send(_ name: String, to server: URL) {
        move(name, from: "Outbox", to: "Sending")
        var request = URLRequest(url: server.appendingPathComponent(name))
        request.httpMethod = "PUT"
        let task = session.uploadTask(with: request, fromFile: file(name, in: "Sending"))
        task.taskDescription = name
        task.resume()
    }

    private func file(_ name: String, in place: String) -> URL {
        folder.appendingPathComponent(place, isDirectory: true).appendingPathComponent(name)
    }

    private func move(_ name: String, from place: String, to other: String) {
        do {
            try FileManager.default.moveItem(at: file(name, in: place), to: file(name, in: other))
        } catch {
            log.note("not-moved \(name) \(error.localizedDescription)")
        }
    }
}

extension BackgroundUploads: URLSessionDataDelegate {
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        let name = task.taskDescription ?? "?"
        let status = (task.response as? HTTPURLResponse)?.statusCode ?? 0
        if let error = error as? URLError {
            let reason = error.backgroundTaskCancelledReason.map { " reason \($0.rawValue)" } ?? ""
            log.note("failed \(name) \(error.errorCode)\(reason)")
        } else {
            log.note("sent \(name) \(status)")
        }
        move(name, from: "Sending", to: error == nil && (200...299).contains(status) ? "Sent" : "Outbox")
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        DispatchQueue.main.async {
            guard let eventsHandled = self.eventsHandled else { return }
            self.eventsHandled = nil
            self.log.note("handled \(self.identifier)")
            eventsHandled()
        }
    }
}
