// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A round's orders for the app: two lines of a file that is replaced while it runs.
struct Orders {
    /// The background tasks to begin when the app is sent to background.
    enum Task {
        case none
        /// One task, ended after so many seconds.
        case hold(Double)
        /// One task, ended by its expiration handler.
        case late
        /// One task that is never ended.
        case never
        /// So many tasks, ended one after the other.
        case churn(Int)
    }

    private(set) var task = Task.none
    /// The URLs to fetch with its background session when it comes to the foreground.
    private(set) var fetches: [URL] = []

    init(in folder: URL) {
        guard let text = try? String(contentsOf: folder.appendingPathComponent("orders"), encoding: .utf8) else {
            return
        }
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            switch words[0] {
            case "hold": task = .hold(Double(words[1]) ?? 0)
            case "late": task = .late
            case "never": task = .never
            case "churn": task = .churn(Int(words[1]) ?? 1)
            case "fetch": fetches += words.dropFirst().compactMap { URL(string: $0) }
            default: break
            }
        }
    }
}
