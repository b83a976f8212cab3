// SPDX-License-Identifier: Apache-2.0
import UIKit
import UserNotifications

/// As in iOS apps: authorization at launch, a category, requests of each kind, and a delegate with completion handlers.
@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    var window: UIWindow?

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        let center = UNUserNotificationCenter.current()
        center.delegate = self
        center.requestAuthorization(options: [.alert, .badge, .sound]) { granted, error in
            guard granted, error == nil else {
                print("no notifications: \(error?.localizedDescription ?? "denied")")
                return
            }
            UNUserNotificationCenter.current().getNotificationSettings { settings in
                guard settings.authorizationStatus == .authorized, settings.alertSetting == .enabled else { return }
                DispatchQueue.main.async { UIApplication.shared.registerForRemoteNotifications() }
            }
        }
        registerCategories()
        return true
    }

    private func registerCategories() {
        let snooze = UNNotificationAction(identifier: "SNOOZE", title: "Later", options: [])
        let delete = UNNotificationAction(identifier: "DELETE", title: "Delete", options: [.destructive, .foreground])
        let reply = UNTextInputNotificationAction(
            identifier: "REPLY",
            title: "Reply",
            options: [.authenticationRequired],
            textInputButtonTitle: "Send",
            textInputPlaceholder: "Message"
        )
        let category = UNNotificationCategory(
            identifier: "REMINDER",
            actions: [snooze, delete, reply],
            intentIdentifiers: [],
            options: .customDismissAction
        )
        UNUserNotificationCenter.current().setNotificationCategories([category])
    }

    func remind(_ text: String, at hour: Int) {
        let content = UNMutableNotificationContent()
        content.title = NSString(string: "Reminder") as String
        content.subtitle = "Today"
        content.body = text
        content.badge = 1
        content.sound = UNNotificationSound.default
        content.categoryIdentifier = "REMINDER"
        content.threadIdentifier = "reminders"
        content.userInfo = ["text": text, "count": 3]
        content.interruptionLevel = .timeSensitive
        var components = DateComponents()
        components.hour = hour
        let trigger = UNCalendarNotificationTrigger(dateMatching: components, repeats: true)
        let request = UNNotificationRequest(identifier: UUID().uuidString, content: content, trigger: trigger)
        UNUserNotificationCenter.current().add(request) { error in
            if let error = error { print("not added: \(error.localizedDescription)") }
        }
        print(trigger.nextTriggerDate() ?? "never")
    }

    func tellThatItHasArrived(_ name: String) {
        let content = UNMutableNotificationContent()
        content.title = "Done"
        content.body = name
        content.sound = UNNotificationSound(named: UNNotificationSoundName("done.caf"))
        let trigger = UNTimeIntervalNotificationTrigger(timeInterval: 1, repeats: false)
        UNUserNotificationCenter.current().add(
            UNNotificationRequest(identifier: "done", content: content, trigger: trigger),
            withCompletionHandler: nil
        )
        UNUserNotificationCenter.current().add(UNNotificationRequest(identifier: "now", content: content, trigger: nil))
    }

    func clear() {
        let center = UNUserNotificationCenter.current()
        center.getPendingNotificationRequests { requests in
            let old = requests.filter { $0.content.threadIdentifier == "reminders" }.map(\.identifier)
            UNUserNotificationCenter.current().removePendingNotificationRequests(withIdentifiers: old)
        }
        center.getDeliveredNotifications { delivered in
            let old = delivered.filter { $0.date < Date() }.map { $0.request.identifier }
            UNUserNotificationCenter.current().removeDeliveredNotifications(withIdentifiers: old)
        }
        center.removeAllDeliveredNotifications()
        center.removeAllPendingNotificationRequests()
    }
}

extension AppDelegate: UNUserNotificationCenterDelegate {
    nonisolated func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        willPresent notification: UNNotification,
        withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
    ) {
        completionHandler([.banner, .list, .sound, .badge])
    }

    nonisolated func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void
    ) {
        let userInfo = response.notification.request.content.userInfo
        switch response.actionIdentifier {
        case UNNotificationDefaultActionIdentifier: print("opened \(userInfo["text"] as? String ?? "")")
        case UNNotificationDismissActionIdentifier: print("dismissed")
        case "REPLY": print((response as? UNTextInputNotificationResponse)?.userText ?? "")
        default: break
        }
        completionHandler()
    }
}
