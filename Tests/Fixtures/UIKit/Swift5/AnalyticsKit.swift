// SPDX-License-Identifier: Apache-2.0
// In the style of analytics and upload SDKs from before Swift concurrency: no isolation anywhere.
#if canImport(UIKit)
    import UIKit

    class FlushQueue: NSObject {
        static let shared = FlushQueue()
        private var taskId = UIBackgroundTaskIdentifier.invalid
        private let queue = DispatchQueue(label: "flush")
        private var observers: [NSObjectProtocol] = []

        override init() {
            super.init()
            let center = NotificationCenter.default
            for name in [
                UIApplication.didEnterBackgroundNotification, UIApplication.willTerminateNotification,
                UIApplication.willResignActiveNotification, UIApplication.didReceiveMemoryWarningNotification,
            ] {
                observers.append(
                    center.addObserver(forName: name, object: nil, queue: nil) { [weak self] _ in self?.flush() }
                )
            }
        }

        func flush() {
            let app = UIApplication.shared
            taskId = app.beginBackgroundTask(withName: "com.example.flush") { [weak self] in
                guard let self = self else { return }
                self.finish()
            }
            if taskId == .invalid { return }
            queue.async {
                if UIApplication.shared.applicationState == .background {
                    print("left: \(UIApplication.shared.backgroundTimeRemaining)")
                }
                self.finish()
            }
        }

        func finish() {
            if taskId != UIBackgroundTaskIdentifier.invalid {
                UIApplication.shared.endBackgroundTask(taskId)
                taskId = UIBackgroundTaskIdentifier.invalid
            }
        }

        func later(_ body: @escaping () -> Void) {
            var identifier: UIBackgroundTaskIdentifier = .invalid
            identifier = UIApplication.shared.beginBackgroundTask {
                body()
                UIApplication.shared.endBackgroundTask(identifier)
                identifier = .invalid
            }
            let handler: () -> Void = { body() }
            _ = UIApplication.shared.beginBackgroundTask(expirationHandler: handler)
            _ = UIApplication.shared.beginBackgroundTask()
            ProcessInfo.processInfo.performExpiringActivity(withReason: "later") { expired in if !expired { body() } }
        }

        var isSupported: Bool {
            UIDevice.current.isMultitaskingSupported && UIApplication.shared.backgroundRefreshStatus == .available
        }
        var system: String {
            "\(UIDevice.current.systemName) \(UIDevice.current.systemVersion) \(UIDevice.current.model)"
        }
        var appDelegate: PlainAppDelegate? { UIApplication.shared.delegate as? PlainAppDelegate }
    }

    class PlainAppDelegate: NSObject, UIApplicationDelegate {
        var handlers: [String: () -> Void] = [:]

        func application(
            _ application: UIApplication,
            didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]? = nil
        ) -> Bool {
            UIApplication.shared.setMinimumBackgroundFetchInterval(UIApplication.backgroundFetchIntervalMinimum)
            return true
        }

        func application(
            _ application: UIApplication,
            handleEventsForBackgroundURLSession identifier: String,
            completionHandler: @escaping () -> Void
        ) {
            handlers[identifier] = completionHandler
        }
    }
#else
    #error("UIKit cannot be imported")
#endif
