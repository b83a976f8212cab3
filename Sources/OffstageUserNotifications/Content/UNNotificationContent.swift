// SPDX-License-Identifier: Apache-2.0
public import Foundation
import OffstageCore

/// What a notification shows, and what its app gave along.
///
/// <https://developer.apple.com/documentation/usernotifications/unnotificationcontent>
///
/// Unchecked: one that is not mutable does not change.
open class UNNotificationContent: NSObject, NSCopying, NSMutableCopying, @unchecked Sendable {
    var values: NotificationContent
    var information: [AnyHashable: Any]
    var files: [UNNotificationAttachment] = []

    /// An empty one.
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
    /// The number on the app's icon; there is none here, and it is only kept.
    open var badge: NSNumber? { values.badge.map { NSNumber(value: $0) } }
    /// Which sound is played; a desktop plays its own.
    open var sound: UNNotificationSound? { values.sound.map(UNNotificationSound.init(name:)) }
    /// Which of the app's categories it is of.
    open var categoryIdentifier: String { values.category }
    /// What it belongs together with.
    open var threadIdentifier: String { values.thread }
    /// What the app gave along: a property list.
    open var userInfo: [AnyHashable: Any] { information }
    /// Files that the app gave along; they are kept as long as the process, and not shown.
    open var attachments: [UNNotificationAttachment] { files }
    /// How urgent it is.
    open var interruptionLevel: UNNotificationInterruptionLevel {
        UNNotificationInterruptionLevel(rawValue: UInt(clamping: values.interruption)) ?? .active
    }

    /// A copy that does not change.
    open func copy(with zone: NSZone? = nil) -> Any {
        UNNotificationContent(values, information: information, files: files)
    }
    /// A copy to change.
    open func mutableCopy(with zone: NSZone? = nil) -> Any {
        UNMutableNotificationContent(values, information: information, files: files)
    }
    /// Whether the texts and everything else but attachments are the same.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? UNNotificationContent else { return false }
        return other.values == values && NSDictionary(dictionary: other.information).isEqual(to: information)
    }
    /// Of what `isEqual` compares.
    open override var hash: Int { values.hashValue }
}

/// What a notification is to show, to be filled in.
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
    /// The number on the app's icon; there is none here, and it is only kept.
    open override var badge: NSNumber? {
        get { super.badge }
        set { values.badge = newValue?.intValue }
    }
    /// Which sound is played; a desktop plays its own.
    open override var sound: UNNotificationSound? {
        get { super.sound }
        set { values.sound = newValue?.name }
    }
    /// Which of the app's categories it is of.
    open override var categoryIdentifier: String {
        get { values.category }
        set { values.category = newValue }
    }
    /// What it belongs together with.
    open override var threadIdentifier: String {
        get { values.thread }
        set { values.thread = newValue }
    }
    /// What the app gives along: a property list.
    open override var userInfo: [AnyHashable: Any] {
        get { information }
        set { information = newValue }
    }
    /// Files that the app gives along; they are kept as long as the process, and not shown.
    open override var attachments: [UNNotificationAttachment] {
        get { files }
        set { files = newValue }
    }
    /// How urgent it is.
    open override var interruptionLevel: UNNotificationInterruptionLevel {
        get { super.interruptionLevel }
        set { values.interruption = Int(clamping: newValue.rawValue) }
    }
}
