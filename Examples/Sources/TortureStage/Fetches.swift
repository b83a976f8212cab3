// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Downloads of one background session, told apart by their names. Unchecked: mutable state is only accessed on the
/// main thread; the session's calls only write to the log and to files.
final class Fetches: NSObject, @unchecked Sendable {
    /// The system's completion handler, to be called when all events have been handled. On the main thread.
    var eventsHandled: (() -> Void)?

    private let folder: URL
    private let log: StageLog
    private lazy var session = URLSession(
        configuration: .background(withIdentifier: "fetches"),
        delegate: self,
        delegateQueue: nil
    )

    init(folder: URL, log: StageLog) {
        self.folder = folder
        self.log = log
    }

    func reconnect() { _ = session }

    /// Begins a download, unless it was begun before: each URL is fetched once.
    func fetch(_ url: URL) {
        let name = url.lastPathComponent
        let mark = folder.appendingPathComponent("begun-" + name).path
        guard !FileManager.default.fileExists(atPath: mark) else { return }
        _ = FileManager.default.createFile(atPath: mark, contents: nil)
        let task = session.downloadTask(with: url)
        task.taskDescription = name
        log.note("resuming \(name)")
        task.resume()
        log.note("resumed \(name)")
    }
}

extension Fetches: URLSessionDownloadDelegate {
    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
        let name = downloadTask.taskDescription ?? "?"
        let target = folder.appendingPathComponent("got-" + name)
        try? FileManager.default.removeItem(at: target)
        do {
            try FileManager.default.moveItem(at: location, to: target)
            log.note("got \(name)")
        } catch {
            log.note("lost \(name) \(error.localizedDescription)")
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        log.note("completed \(task.taskDescription ?? "?") \((error as? URLError)?.errorCode ?? 0)")
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        DispatchQueue.main.async {
            self.log.note("handled")
            self.eventsHandled?()
            self.eventsHandled = nil
        }
    }
}
