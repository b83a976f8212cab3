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

    /// Sends events that an earlier launch wrote but was killed before it could hand over.
    ///
    /// A launch may also have been killed after handing an event over and before logging it. Then there is a task,
    /// unless it has ended in the meantime; such an event is sent again, and the server recognizes it by its
    /// identifier.
    func sendLeftovers() async {
        let underWay = Set(await session.allTasks.compactMap(\.taskDescription))
        log.note("attached \(underWay.count)")
        let known = underWay.union(log.handedOverEarlier)
        for file in (try? outbox.files()) ?? [] where !known.contains(file.lastPathComponent) {
            send(file)
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
