// SPDX-License-Identifier: Apache-2.0
public import Foundation
import OffstageCore

/// What a category wants.
///
/// <https://developer.apple.com/documentation/usernotifications/unnotificationcategoryoptions>
public struct UNNotificationCategoryOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// Options of bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// The delegate hears of a removal.
    public static let customDismissAction = UNNotificationCategoryOptions(rawValue: 1 << 0)
    /// For cars; nothing here.
    public static let allowInCarPlay = UNNotificationCategoryOptions(rawValue: 1 << 1)
    /// Without previews; nothing here.
    public static let hiddenPreviewsShowTitle = UNNotificationCategoryOptions(rawValue: 1 << 2)
    /// Without previews; nothing here.
    public static let hiddenPreviewsShowSubtitle = UNNotificationCategoryOptions(rawValue: 1 << 3)
    /// For headphones; nothing here.
    public static let allowAnnouncement = UNNotificationCategoryOptions(rawValue: 1 << 4)
}

/// A kind of notifications, with the actions that they offer.
///
/// <https://developer.apple.com/documentation/usernotifications/unnotificationcategory>
open class UNNotificationCategory: NSObject, @unchecked Sendable {
    /// By which contents name it.
    public let identifier: String
    /// In the order in which they are offered.
    public let actions: [UNNotificationAction]
    /// Kept, and nothing else.
    public let intentIdentifiers: [String]
    /// What it wants.
    public let options: UNNotificationCategoryOptions

    /// A category.
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

    /// A category with a text for hidden previews, which there are none of here.
    public convenience init(
        identifier: String,
        actions: [UNNotificationAction],
        intentIdentifiers: [String],
        hiddenPreviewsBodyPlaceholder: String,
        options: UNNotificationCategoryOptions = []
    ) {
        self.init(identifier: identifier, actions: actions, intentIdentifiers: intentIdentifiers, options: options)
    }

    /// Two of one identifier are the same, as far as a set is concerned.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? UNNotificationCategory)?.identifier == identifier
    }
    /// Of what `isEqual` compares.
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
