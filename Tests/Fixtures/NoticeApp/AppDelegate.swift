// SPDX-License-Identifier: Apache-2.0
import OffstageUIKit
import OffstageUserNotifications

/// Receives notifications through the methods with completion handlers.
final class AppDelegate: UIResponder, UIApplicationDelegate, UNUserNotificationCenterDelegate {
    private static var words: [String] { Array(CommandLine.arguments.dropFirst(2)) }

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]? = nil
    ) -> Bool {
        let center = UNUserNotificationCenter.current()
        if !Self.words.contains("silent") { center.delegate = self }
        Log.shared.note("didFinishLaunching")
        Orders.listen()
        return true
    }

    func applicationDidBecomeActive(_ application: UIApplication) { Log.shared.note("didBecomeActive") }
    func applicationDidEnterBackground(_ application: UIApplication) { Log.shared.note("didEnterBackground") }

    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
    ) {
        Log.shared.note("willPresent \(notification.request.identifier) main \(Thread.isMainThread)")
        completionHandler(Self.words.contains("shows") ? [.banner, .sound] : [])
    }

    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void
    ) {
        let text = (response as? UNTextInputNotificationResponse).map { " text \($0.userText)" } ?? ""
        let request = response.notification.request
        let state = UIApplication.shared.applicationState
        let plant = request.content.userInfo["plant"] as? String ?? "none"
        Log.shared.note(
            "didReceive \(request.identifier) \(response.actionIdentifier) \(state) plant \(plant)\(text)"
        )
        if Self.words.contains("crashes") { _exit(9) }
        // Like an app that has something to fetch first.
        DispatchQueue.global().async {
            completionHandler()
            Log.shared.note("completed \(request.identifier)")
        }
    }
}
