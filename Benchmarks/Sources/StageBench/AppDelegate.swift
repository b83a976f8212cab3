// SPDX-License-Identifier: Apache-2.0
import UIKit

/// Notes its calls as their first act.
class AppDelegate: UIResponder, UIApplicationDelegate {
    private let mode = CommandLine.arguments.dropFirst(2).first ?? ""
    private let argument = CommandLine.arguments.dropFirst(3).first ?? ""
    private var task = UIBackgroundTaskIdentifier.invalid
    private lazy var fetcher = Fetcher(url: argument)

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        notes.add("launched")
        if mode == "fetch", application.applicationState != .background { fetcher.fetch() }
        return true
    }

    func applicationDidBecomeActive(_ application: UIApplication) { notes.add("active") }
    func applicationWillEnterForeground(_ application: UIApplication) { notes.add("foreground") }

    func applicationDidEnterBackground(_ application: UIApplication) {
        guard mode == "hold" || mode == "expire" else { return }
        task = application.beginBackgroundTask(withName: "bench") { [self] in
            notes.add("expired")
            end(application)
        }
        notes.add("background", Notes.now + Int64(application.backgroundTimeRemaining * 1e9))
        guard mode == "hold" else { return }
        DispatchQueue.main.asyncAfter(deadline: .now() + (Double(argument) ?? 0)) { [self] in end(application) }
    }

    func application(
        _ application: UIApplication,
        handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        notes.add("events")
        fetcher.handled = completionHandler
        fetcher.attach()
    }

    private func end(_ application: UIApplication) {
        notes.add("ended")
        application.endBackgroundTask(task)
        task = .invalid
    }
}
