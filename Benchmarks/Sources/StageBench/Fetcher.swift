// SPDX-License-Identifier: Apache-2.0
import UIKit

/// One download in background after the other: the next is begun before the last one's events count as handled.
@MainActor
final class Fetcher: NSObject, URLSessionDownloadDelegate {
    var handled: (() -> Void)?
    private let url: String
    private lazy var session = URLSession(
        configuration: .background(withIdentifier: "bench"),
        delegate: self,
        delegateQueue: .main
    )

    init(url: String) { self.url = url }

    func fetch() {
        guard let url = URL(string: url) else { fatalError("\(url) is no URL") }
        session.downloadTask(with: url).resume()
    }

    func attach() { _ = session }

    nonisolated func urlSession(
        _ session: URLSession,
        downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {}

    nonisolated func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        MainActor.assumeIsolated {
            fetch()
            handled?()
            handled = nil
        }
    }
}
