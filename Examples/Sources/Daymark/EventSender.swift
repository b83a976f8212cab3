// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Sends one small JSON file for each finished piece of work, with a background session: once it is handed over, the
/// app need not keep running.
final class EventSender: NSObject {
    /// The event to send.
    private struct Event: Codable {
        var name: String
        /// Counts events of this name over all launches, from 1.
        var number: Int
        var date: Date
    }

    /// The system's completion handler, to be called when all events of the session have been handled. Main thread
    /// only.
    var eventsHandled: (() -> Void)?

    private let plan: Plan
    private let log: AppLog
    private let lock = NSLock()
    private lazy var session: URLSession = {
        let configuration = URLSessionConfiguration.background(withIdentifier: "com.example.Daymark.events")
        configuration.sessionSendsLaunchEvents = true
        return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    }()

    init(plan: Plan, log: AppLog) {
        self.plan = plan
        self.log = log
    }

    /// Creates the session, so that it receives the events of earlier launches.
    func reconnect() {
        _ = session
    }

    /// Hands an event over; false if it cannot be written.
    func send(_ name: String) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        do {
            let event = Event(name: name, number: try nextNumber(of: name), date: Date())
            let encoder = JSONEncoder()
            encoder.dateEncodingStrategy = .iso8601
            let file = file("\(name)-\(event.number).json")
            try encoder.encode(event).write(to: file)
            var request = URLRequest(url: plan.server.appendingPathComponent(name))
            request.httpMethod = "POST"
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            let task = session.uploadTask(with: request, fromFile: file)
            task.taskDescription = file.lastPathComponent
            task.resume()
            return true
        } catch {
            log.note("not-written \(name) \(error.localizedDescription)")
            return false
        }
    }

    private func nextNumber(of name: String) throws -> Int {
        try FileManager.default.createDirectory(at: file(""), withIntermediateDirectories: true)
        let count = plan.folder.appendingPathComponent("\(name).count")
        let number = ((try? String(contentsOf: count, encoding: .utf8)).flatMap { Int($0) } ?? 0) + 1
        try Data("\(number)".utf8).write(to: count, options: .atomic)
        return number
    }

    /// A file that is being sent.
    private func file(_ name: String) -> URL {
        plan.folder.appendingPathComponent("Sending", isDirectory: true).appendingPathComponent(name)
    }
}

extension EventSender: URLSessionDataDelegate {
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        let name = task.taskDescription ?? "?"
        try? FileManager.default.removeItem(at: file(name))
        if let error {
            log.note("failed \(name) \((error as NSError).code)")
        } else {
            log.note("sent \(name) \((task.response as? HTTPURLResponse)?.statusCode ?? 0)")
        }
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        DispatchQueue.main.async {
            self.eventsHandled?()
            self.eventsHandled = nil
        }
    }
}
