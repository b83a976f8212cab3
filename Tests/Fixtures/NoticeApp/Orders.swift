// SPDX-License-Identifier: Apache-2.0
import OffstageUIKit
import OffstageUserNotifications

/// The test's orders for the app: lines from `FOLDER/orders`, read and carried out on their own thread.
enum Orders {
    static func listen() {
        let path = CommandLine.arguments[1] + "/orders"
        let thread = Thread {
            guard let file = fopen(path, "r+") else { return }
            var line: UnsafeMutablePointer<CChar>?
            var capacity = 0
            while getline(&line, &capacity, file) > 0, let line {
                carryOut(String(cString: line).split(whereSeparator: \.isWhitespace).map(String.init))
            }
        }
        thread.start()
    }

    private static func carryOut(_ words: [String]) {
        let center = UNUserNotificationCenter.current()
        switch words.first {
        case "authorize":
            center.requestAuthorization(options: [.alert, .sound]) { granted, error in
                Log.shared.note("authorized \(granted) \(error?.localizedDescription ?? "without error")")
            }
        case "settings":
            center.getNotificationSettings { Log.shared.note("settings \($0.authorizationStatus)") }
        case "categories":
            let open = UNNotificationAction(identifier: "open", title: "Open", options: .foreground)
            let later = UNTextInputNotificationAction(
                identifier: "later",
                title: "Later",
                textInputButtonTitle: "Send",
                textInputPlaceholder: "When?"
            )
            let done = UNNotificationAction(identifier: "done", title: "Done")
            center.setNotificationCategories([
                UNNotificationCategory(identifier: "plants", actions: [open, later, done], intentIdentifiers: [])
            ])
            center.getNotificationCategories { Log.shared.note("categories \($0.map(\.identifier))") }
        case "add": add(words, center)
        case "pending":
            center.getPendingNotificationRequests { Log.shared.note("pending \($0.map(\.identifier))") }
        case "delivered":
            center.getDeliveredNotifications { Log.shared.note("delivered \($0.map(\.request.identifier))") }
        case "remove":
            center.removePendingNotificationRequests(withIdentifiers: Array(words.dropFirst()))
            center.removeDeliveredNotifications(withIdentifiers: Array(words.dropFirst()))
        default: Log.shared.note("does not know '\(words)'")
        }
    }

    /// `add ID SECONDS TITLE`, at once for 0 seconds; daily for `HH:MM`.
    private static func add(_ words: [String], _ center: UNUserNotificationCenter) {
        let content = UNMutableNotificationContent()
        content.title = words.count > 3 ? words[3] : "Water the fern"
        content.body = "It is dry."
        content.sound = .default
        content.categoryIdentifier = "plants"
        content.userInfo = ["plant": "fern", "days": 3]
        var trigger: UNNotificationTrigger?
        let time = words[2].split(separator: ":").compactMap { Int($0) }
        if time.count == 2 {
            let components = DateComponents(hour: time[0], minute: time[1])
            trigger = UNCalendarNotificationTrigger(dateMatching: components, repeats: true)
        } else if let seconds = Double(words[2]), seconds > 0 {
            trigger = UNTimeIntervalNotificationTrigger(timeInterval: seconds, repeats: false)
        }
        let request = UNNotificationRequest(identifier: words[1], content: content, trigger: trigger)
        center.add(request) { error in
            Log.shared.note("added \(words[1]) \(error?.localizedDescription ?? "without error")")
        }
    }
}
