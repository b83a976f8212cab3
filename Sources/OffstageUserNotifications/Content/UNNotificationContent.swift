// SPDX-License-Identifier: Apache-2.0
public import Foundation
import OffstageCore

/// The content of a notification: the text that it shows, and the app's data.
///
/// <https://developer.apple.com/documentation/usernotifications/unnotificationcontent>
///
/// Unchecked: an instance that is not mutable does not change.
open class UNNotificationContent: NSObject, NSCopying, NSMutableCopying, @unchecked Sendable {
    var values: NotificationContent
    var information: [AnyHashable: Any]
    var files: [UNNotificationAttachment] = []

    /// Creates empty content.
    public override init() {
        values = NotificationContent()
        information = [:]
    }

    init(_ values: NotificationContent, information: [AnyHashable: Any], files: [UNNotificationAttachment] = []) {
        self.values = values
        self.information = information
        self.files = files
    }

    /// The first line.
    open var title: String { values.title }
    /// The second line.
    open var subtitle: String { values.subtitle }
    /// The text.
    open var body: String { values.body }
    /// The badge on the app's icon, which does not exist here; it is only stored.
    open var badge: NSNumber? { values.badge.map { NSNumber(value: $0) } }
    /// The sound; a desktop plays its own.
    open var sound: UNNotificationSound? { values.sound.map(UNNotificationSound.init(name:)) }
    /// The identifier of the notification's category.
    open var categoryIdentifier: String { values.category }
    /// The identifier by which related notifications are grouped.
    open var threadIdentifier: String { values.thread }
    /// The app's data: a property list.
    open var userInfo: [AnyHashable: Any] { information }
    /// The app's files; they are kept while the process runs, and not shown.
    open var attachments: [UNNotificationAttachment] { files }
    /// The urgency.
    open var interruptionLevel: UNNotificationInterruptionLevel {
        UNNotificationInterruptionLevel(rawValue: UInt(clamping: values.interruption)) ?? .active
    }

    /// Returns an immutable copy.
    open func copy(with zone: NSZone? = nil) -> Any {
        UNNotificationContent(values, information: information, files: files)
    }
    /// Returns a mutable copy.
    open func mutableCopy(with zone: NSZone? = nil) -> Any {
        UNMutableNotificationContent(values, information: information, files: files)
    }
    /// Whether everything except the attachments is equal.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? UNNotificationContent else { return false }
        return other.values == values && NSDictionary(dictionary: other.information).isEqual(to: information)
    }
    /// A hash of some of the properties that `isEqual` compares.
    open override var hash: Int { values.hashValue }
}

/// The mutable content of a notification.
///
/// <https://developer.apple.com/documentation/usernotifications/unmutablenotificationcontent>
///
/// Unchecked: as on Apple's platforms, used by one thread at a time.
open class UNMutableNotificationContent: UNNotificationContent, @unchecked Sendable {
    /// The first line.
    open override var title: String {
        get { values.title }
        set { values.title = newValue }
    }
    /// The second line.
    open override var subtitle: String {
        get { values.subtitle }
        set { values.subtitle = newValue }
    }
    /// The text.
    open override var body: String {
        get { values.body }
        set { values.body = newValue }
    }
    /// The badge on the app's icon, which does not exist here; it is only stored.
    open override var badge: NSNumber? {
        get { super.badge }
        set { values.badge = newValue?.intValue }
    }
    /// The sound; a desktop plays its own.
    open override var sound: UNNotificationSound? {
        get { super.sound }
        set { values.sound = newValue?.name }
    }
    /// The identifier of the notification's category.
    open override var categoryIdentifier: String {
        get { values.category }
        set { values.category = newValue }
    }
    /// The identifier by which related notifications are grouped.
    open override var threadIdentifier: String {
        get { values.thread }
        set { values.thread = newValue }
    }
    /// The app's data: a property list.
    open override var userInfo: [AnyHashable: Any] {
        get { information }
        set { information = newValue }
    }
    /// The app's files; they are kept while the process runs, and not shown.
    open override var attachments: [UNNotificationAttachment] {
        get { files }
        set { files = newValue }
    }
    /// The urgency.
    open override var interruptionLevel: UNNotificationInterruptionLevel {
        get { super.interruptionLevel }
        set { values.interruption = Int(clamping: newValue.rawValue) }
    }
}
