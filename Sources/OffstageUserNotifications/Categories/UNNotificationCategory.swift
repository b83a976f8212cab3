// SPDX-License-Identifier: Apache-2.0
public import Foundation
import OffstageCore

/// The behaviour of a category.
///
/// <https://developer.apple.com/documentation/usernotifications/unnotificationcategoryoptions>
public struct UNNotificationCategoryOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// Creates a set of options from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Dismissals are sent to the delegate.
    public static let customDismissAction = UNNotificationCategoryOptions(rawValue: 1 << 0)
    /// Allow in CarPlay; no effect here.
    public static let allowInCarPlay = UNNotificationCategoryOptions(rawValue: 1 << 1)
    /// Show the title when previews are hidden; no effect here.
    public static let hiddenPreviewsShowTitle = UNNotificationCategoryOptions(rawValue: 1 << 2)
    /// Show the subtitle when previews are hidden; no effect here.
    public static let hiddenPreviewsShowSubtitle = UNNotificationCategoryOptions(rawValue: 1 << 3)
    /// Allow announcements on headphones; no effect here.
    public static let allowAnnouncement = UNNotificationCategoryOptions(rawValue: 1 << 4)
}

/// A type of notification, with the actions that it offers.
///
/// <https://developer.apple.com/documentation/usernotifications/unnotificationcategory>
open class UNNotificationCategory: NSObject, @unchecked Sendable {
    /// The identifier that a notification's content names.
    public let identifier: String
    /// The actions, in the order in which they are offered.
    public let actions: [UNNotificationAction]
    /// Stored, but has no effect.
    public let intentIdentifiers: [String]
    /// The behaviour of the category.
    public let options: UNNotificationCategoryOptions

    /// Creates a category.
    public init(
        identifier: String,
        actions: [UNNotificationAction],
        intentIdentifiers: [String],
        options: UNNotificationCategoryOptions = []
    ) {
        self.identifier = identifier
        self.actions = actions
        self.intentIdentifiers = intentIdentifiers
        self.options = options
    }

    /// Creates a category with a placeholder for hidden previews, which do not exist here.
    public convenience init(
        identifier: String,
        actions: [UNNotificationAction],
        intentIdentifiers: [String],
        hiddenPreviewsBodyPlaceholder: String,
        options: UNNotificationCategoryOptions = []
    ) {
        self.init(identifier: identifier, actions: actions, intentIdentifiers: intentIdentifiers, options: options)
    }

    /// Whether the identifiers are equal: a set contains one category with each identifier.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? UNNotificationCategory)?.identifier == identifier
    }
    /// A hash of the property that `isEqual` compares.
    open override var hash: Int { identifier.hashValue }

    var value: NotificationStanding.Category {
        NotificationStanding.Category(
            identifier: identifier,
            actions: actions.map(\.value),
            intents: intentIdentifiers,
            options: options.rawValue
        )
    }

    static func make(_ value: NotificationStanding.Category) -> UNNotificationCategory {
        UNNotificationCategory(
            identifier: value.identifier,
            actions: value.actions.map(UNNotificationAction.make),
            intentIdentifiers: value.intents,
            options: UNNotificationCategoryOptions(rawValue: value.options)
        )
    }
}
