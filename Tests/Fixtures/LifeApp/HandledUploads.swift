// SPDX-License-Identifier: Apache-2.0
import OffstageUIKit

/// A background session without a delegate: only completion handlers receive its uploads' ends, on their own queue.
@MainActor final class HandledUploads {
    static let identifier = "handled"
    static let shared = HandledUploads()
    private let session = URLSession(
        configuration: .background(withIdentifier: identifier),
        delegate: nil,
        delegateQueue: nil
    )

    /// Opens the session, so that it receives its ends.
    func open() { session.getAllTasks { _ in } }

    /// Asks for its tasks. The completion handler ends a background task, keeps working for so long, and logs it.
    func list(ending task: Int, _ milliseconds: Int) {
        let application = UIApplication.shared
        session.getAllTasks { tasks in
            application.endBackgroundTask(UIBackgroundTaskIdentifier(rawValue: task))
            Orders.work(milliseconds)
            note("listed \(tasks.count)")
        }
    }

    /// Begins so many uploads, with completion handlers or without.
    func begin(_ count: Int, _ url: String, _ file: String, isHandled: Bool) {
        guard let url = URL(string: url) else { return }
        var request = URLRequest(url: url)
        request.httpMethod = "PUT"
        let file = URL(fileURLWithPath: file)
        for _ in 0..<count {
            guard isHandled else {
                session.uploadTask(with: request, fromFile: file).resume()
                continue
            }
            let upload = session.uploadTask(with: request, fromFile: file) { _, response, _ in
                note("handler \((response as? HTTPURLResponse)?.statusCode ?? 0)")
            }
            upload.resume()
        }
        note("began handled uploads")
    }
}
