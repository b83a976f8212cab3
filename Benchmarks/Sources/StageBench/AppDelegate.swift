// SPDX-License-Identifier: Apache-2.0
import UIKit

/// Notes its calls as their first act.
class AppDelegate: UIResponder, UIApplicationDelegate {
    private let mode = CommandLine.arguments.dropFirst(2).first ?? ""
    private let argument = CommandLine.arguments.dropFirst(3).first ?? ""
    private var wasActive = false
    private var task = UIBackgroundTaskIdentifier.invalid
    private lazy var fetcher = Fetcher(url: argument)
    private lazy var later = LaterWork(seconds: Double(argument) ?? 1)

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        notes.add("launched")
        if mode == "fetch", application.applicationState != .background { fetcher.fetch() }
        if mode == "later" { later.register() }
        return true
    }

    func applicationDidBecomeActive(_ application: UIApplication) {
        wasActive = true
        notes.add("active")
    }

    func applicationWillEnterForeground(_ application: UIApplication) { notes.add("foreground") }

    func applicationDidEnterBackground(_ application: UIApplication) {
        // Not when it is woken for what it has asked for.
        if mode == "later", wasActive { later.submit() }
        wasActive = false
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
