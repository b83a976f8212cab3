// SPDX-License-Identifier: Apache-2.0
// As in articles: both kinds, registered at launch and submitted when the app leaves the foreground.
import BackgroundTasks
import UIKit

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    var window: UIWindow?
    private let queue: OperationQueue = {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        return queue
    }()

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        // swift-format-ignore: NeverForceUnwrap
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.feed.refresh", using: .main) { task in
            MainActor.assumeIsolated { self.handleAppRefresh(task: task as! BGAppRefreshTask) }
        }
        let isRegistered = BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.feed.clean",
            using: DispatchQueue.main
        ) { task in
            guard let task = task as? BGProcessingTask else { return }
            MainActor.assumeIsolated { self.handleCleaning(task: task) }
        }
        print(isRegistered)
        return true
    }

    func applicationDidEnterBackground(_ application: UIApplication) {
        scheduleAppRefresh()
        scheduleCleaning()
    }

    func scheduleAppRefresh() {
        let request = BGAppRefreshTaskRequest(identifier: "com.example.feed.refresh")
        request.earliestBeginDate = Date(timeIntervalSinceNow: 15 * 60)
        do {
            try BGTaskScheduler.shared.submit(request)
        } catch BGTaskScheduler.Error.notPermitted {
            print("not permitted")
        } catch BGTaskScheduler.Error.tooManyPendingTaskRequests {
            print("too many")
        } catch BGTaskScheduler.Error.unavailable {
            print("unavailable")
        } catch {
            print("Could not schedule app refresh: \(error)")
        }
    }

    func scheduleCleaning() {
        let request = BGProcessingTaskRequest(identifier: "com.example.feed.clean")
        request.requiresNetworkConnectivity = false
        request.requiresExternalPower = true
        request.earliestBeginDate = Calendar.current.date(byAdding: .hour, value: 8, to: Date())
        try? BGTaskScheduler.shared.submit(request)
    }

    func handleAppRefresh(task: BGAppRefreshTask) {
        scheduleAppRefresh()
        let operation = BlockOperation { print("refreshing") }
        task.expirationHandler = { operation.cancel() }
        operation.completionBlock = { task.setTaskCompleted(success: !operation.isCancelled) }
        queue.addOperation(operation)
    }

    func handleCleaning(task: BGProcessingTask) {
        let work = Task {
            await Task.yield()
            task.setTaskCompleted(success: !Task.isCancelled)
        }
        task.expirationHandler = {
            work.cancel()
            task.setTaskCompleted(success: false)
        }
    }
}
