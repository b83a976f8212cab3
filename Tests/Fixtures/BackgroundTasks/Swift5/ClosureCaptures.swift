// SPDX-License-Identifier: Apache-2.0
// From before Swift concurrency: closures that capture non-Sendable values, and a task sent through a Task.
import BackgroundTasks
import UIKit

class FeedController {
    static let shared = FeedController()
    var items: [String] = []
    private var current: BGTask?

    func register() {
        let formatter = DateFormatter()
        // swift-format-ignore: NeverForceUnwrap
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.feed", using: nil) { [weak self] task in
            guard let self = self else { return task.setTaskCompleted(success: false) }
            self.items.append(formatter.string(from: Date()))
            self.handle(task: task as! BGAppRefreshTask)
        }
    }

    func handle(task: BGAppRefreshTask) {
        current = task
        task.expirationHandler = { [unowned self] in
            self.items.removeAll()
            task.setTaskCompleted(success: false)
        }
        Task { @MainActor in
            self.items.append(UIApplication.shared.applicationState == .background ? "background" : "active")
            task.setTaskCompleted(success: true)
        }
        // swift-format-ignore: NeverForceUnwrap
        URLSession.shared.dataTask(with: URL(string: "https://example.com")!) { data, _, error in
            task.setTaskCompleted(success: error == nil)
        }.resume()
    }

    @available(iOS 13.0, *)
    func cancelAll() {
        BGTaskScheduler.shared.cancelAllTaskRequests()
        BGTaskScheduler.shared.cancel(taskRequestWithIdentifier: "com.example.feed")
    }
}

extension BGAppRefreshTask: @unchecked Sendable {}
