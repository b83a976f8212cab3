// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Uploads photos in the background: the system continues when the app is gone.
final class UploadManager: NSObject {
    static let shared = UploadManager()
    static let sessionIdentifier = "com.example.PhotoUploader.uploads"

    /// Body files, which must stay until their uploads have ended.
    private let bodies: URL
    private let log: EventLog

    private let lock = NSLock()
    /// Photos that were handed over and not yet reported.
    private var waiting: Set<String> = []
    private var hasHandedOver = false
    /// The server's answers so far, by task.
    private var answers: [Int: Data] = [:]

    private lazy var session: URLSession = {
        let configuration = URLSessionConfiguration.background(withIdentifier: Self.sessionIdentifier)
        configuration.isDiscretionary = false
        configuration.sessionSendsLaunchEvents = true
        configuration.httpMaximumConnectionsPerHost = 4
        configuration.timeoutIntervalForResource = 24 * 60 * 60
        return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    }()

    private override init() {
        let folder = URL(fileURLWithPath: CommandLine.arguments[1], isDirectory: true)
        bodies = folder.appendingPathComponent("Bodies", isDirectory: true)
        let logFile = folder.appendingPathComponent("events.log")
        let earlier = (try? String(contentsOf: logFile, encoding: .utf8)) ?? ""
        do {
            try FileManager.default.createDirectory(at: bodies, withIntermediateDirectories: true)
            log = try EventLog(at: logFile)
        } catch {
            fatalError("\(folder.path) cannot be used: \(error.localizedDescription)")
        }
        super.init()
        for line in earlier.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.first == "handed-over" { waiting.insert(String(words[1])) }
        }
        for line in earlier.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.first == "completed" || words.first == "failed" { waiting.remove(String(words[1])) }
        }
    }

    /// Reconnects to the uploads that the system has continued since the last launch.
    func reconnect() {
        session.getAllTasks { tasks in
            for task in tasks {
                guard let upload = PhotoUpload(task) else { continue }
                self.lock.lock()
                self.waiting.insert(upload.photo)
                self.lock.unlock()
                self.log.note("attached \(upload.photo) \(task.taskIdentifier)")
            }
        }
    }

    func upload(_ photo: URL, to server: URL) throws {
        let upload = PhotoUpload(photo: photo.lastPathComponent, body: UUID().uuidString)
        let body = bodies.appendingPathComponent(upload.body)
        try FileManager.default.copyItem(at: photo, to: body)

        var request = URLRequest(url: server.appendingPathComponent(upload.photo))
        request.httpMethod = "PUT"
        request.setValue("image/jpeg", forHTTPHeaderField: "Content-Type")
        let task = session.uploadTask(with: request, fromFile: body)
        task.taskDescription = try upload.taskDescription()
        if let size = try FileManager.default.attributesOfItem(atPath: body.path)[.size] as? Int64 {
            task.countOfBytesClientExpectsToSend = size
        }
        lock.lock()
        waiting.insert(upload.photo)
        lock.unlock()
        task.resume()
        log.note("handed-over \(upload.photo) \(task.taskIdentifier)")
    }

    /// Ends the program once every photo has been reported.
    func finishWhenReported() {
        session.getAllTasks { _ in
            self.lock.lock()
            self.hasHandedOver = true
            self.lock.unlock()
            self.finishIfReported()
        }
    }

    private func finishIfReported() {
        lock.lock()
        let isOver = hasHandedOver && waiting.isEmpty
        lock.unlock()
        if isOver { session.finishTasksAndInvalidate() }
    }
}

extension UploadManager: URLSessionDataDelegate {
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        guard let upload = PhotoUpload(task) else { return }
        log.note("sending \(upload.photo) \(totalBytesSent) of \(totalBytesExpectedToSend)")
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        answers[dataTask.taskIdentifier, default: Data()].append(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        guard let upload = PhotoUpload(task) else { return }
        let answer = answers.removeValue(forKey: task.taskIdentifier) ?? Data()
        try? FileManager.default.removeItem(at: bodies.appendingPathComponent(upload.body))
        if let error = error as NSError? {
            log.note("failed \(upload.photo) \(error.domain) \(error.code)")
        } else {
            let status = (task.response as? HTTPURLResponse)?.statusCode ?? 0
            log.note("completed \(upload.photo) \(status) \(answer.count)")
        }
        lock.lock()
        waiting.remove(upload.photo)
        lock.unlock()
        finishIfReported()
    }
}

extension UploadManager: URLSessionDelegate {
    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        log.note("finished-events")
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: Error?) {
        log.note("invalid")
        exit(0)
    }
}
