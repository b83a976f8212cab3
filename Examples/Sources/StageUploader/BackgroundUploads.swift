// SPDX-License-Identifier: Apache-2.0
import UIKit

/// The uploads of one background session: a file is moved to `Sending` when it is handed over, to `Sent` when it has
/// arrived, and back to `Outbox` when it has not.
final class BackgroundUploads: NSObject {
    let identifier: String
    /// The system's completion handler, to be called when all events have been handled.
    var eventsHandled: (() -> Void)?

    private let album: Album
    private let log: AppLog
    private lazy var session: URLSession = {
        let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
        configuration.sessionSendsLaunchEvents = true
        return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    }()

    init(identifier: String, album: Album, log: AppLog) {
        self.identifier = identifier
        self.album = album
        self.log = log
    }

    /// Creates the session, so that it receives the events of earlier launches.
    func reconnect() {
        _ = session
    }

    func send(_ name: String) {
        move(name, from: .outbox, to: .sending)
        var request = URLRequest(url: album.server.appendingPathComponent(name))
        request.httpMethod = "PUT"
        let task = session.uploadTask(with: request, fromFile: album.file(name, in: .sending))
        task.taskDescription = name
        task.resume()
    }

    private func move(_ name: String, from place: Album.Place, to other: Album.Place) {
        do {
            try album.move(name, from: place, to: other)
        } catch {
            log.note("not-moved \(name) \(error.localizedDescription)")
        }
    }
}

extension BackgroundUploads: URLSessionDataDelegate {
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        let name = task.taskDescription ?? "?"
        let status = (task.response as? HTTPURLResponse)?.statusCode ?? 0
        move(name, from: .sending, to: error == nil && (200...299).contains(status) ? .sent : .outbox)
        if let error = error as? URLError {
            let reason = error.backgroundTaskCancelledReason.map { " reason \($0.rawValue)" } ?? ""
            log.note("failed \(name) \(error.errorCode)\(reason)")
        } else {
            log.note("sent \(name) \(status)")
        }
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
