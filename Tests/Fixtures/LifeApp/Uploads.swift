// SPDX-License-Identifier: Apache-2.0
import OffstageUIKit

/// The app's one background session.
final class Uploads: NSObject, URLSessionDataDelegate {
    static let shared = Uploads()
    private lazy var session = URLSession(
        configuration: .background(withIdentifier: "uploads"),
        delegate: self,
        delegateQueue: .main
    )
    private var handlers: [() -> Void] = []

    /// On the main thread, like everything here.
    func begin(_ url: String, _ file: String) {
        guard let url = URL(string: url) else { return }
        var request = URLRequest(url: url)
        request.httpMethod = "PUT"
        session.uploadTask(with: request, fromFile: URL(fileURLWithPath: file)).resume()
        note("began an upload")
    }

    func whenFinished(_ handler: @escaping () -> Void) {
        handlers.append(handler)
        _ = session
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        let status = (task.response as? HTTPURLResponse)?.statusCode ?? 0
        note("completed \(status) \((error as? URLError).map { "\($0.code.rawValue)" } ?? "without error")")
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        note("finished events")
        for handler in handlers { handler() }
        handlers = []
    }
}
