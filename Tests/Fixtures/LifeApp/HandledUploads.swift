// SPDX-License-Identifier: Apache-2.0
import OffstageUIKit

/// A background session without a delegate: completion handlers alone hear of its uploads, on a queue of its own.
@MainActor final class HandledUploads {
    static let identifier = "handled"
    static let shared = HandledUploads()
    private let session = URLSession(
        configuration: .background(withIdentifier: identifier),
        delegate: nil,
        delegateQueue: nil
    )

    /// Takes the session up, so that it has its ends.
    func open() { session.getAllTasks { _ in } }

    /// Asks for its tasks. The completion handler ends a background task, works on for so long, and says so.
    func list(ending task: Int, _ milliseconds: Int) {
        let application = UIApplication.shared
        session.getAllTasks { tasks in
            application.endBackgroundTask(UIBackgroundTaskIdentifier(rawValue: task))
            Orders.work(milliseconds)
            note("listed \(tasks.count)")
        }
    }

    /// Begins so many uploads.
    func begin(_ count: Int, _ url: String, _ file: String) {
        guard let url = URL(string: url) else { return }
        var request = URLRequest(url: url)
        request.httpMethod = "PUT"
        for _ in 0..<count {
            let upload = session.uploadTask(with: request, fromFile: URL(fileURLWithPath: file)) { _, response, _ in
                note("handler \((response as? HTTPURLResponse)?.statusCode ?? 0)")
            }
            upload.resume()
        }
        note("began handled uploads")
    }
}
