// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Hands events over to the background session.
struct EventSender: Sendable {
    let session: URLSession
    let server: URL
    let outbox: Outbox
    let log: EventLog

    func send(_ event: Event) throws {
        send(try outbox.add(event))
    }

    /// Sends what an earlier launch has written down and was killed before it could hand it over.
    ///
    /// What is under way has a task, and what has ended meanwhile has been reported to the delegate, which deletes the
    /// file, before the tasks are given.
    func sendLeftovers() async {
        await withCheckedContinuation { continuation in
            session.getAllTasks { tasks in
                let underWay = Set(tasks.compactMap(\.taskDescription))
                log.note("attached \(tasks.count)")
                for file in (try? outbox.files()) ?? [] where !underWay.contains(file.lastPathComponent) {
                    send(file)
                }
                continuation.resume()
            }
        }
    }

    private func send(_ file: URL) {
        var request = URLRequest(url: server)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        let task = session.uploadTask(with: request, fromFile: file)
        task.taskDescription = file.lastPathComponent
        task.resume()
        log.note("handed-over \(file.lastPathComponent) \(task.taskIdentifier)")
    }
}
