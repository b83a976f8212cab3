// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// The name of a sound file.
public struct UNNotificationSoundName: RawRepresentable, Hashable, Sendable {
    /// The name.
    public let rawValue: String
    /// Creates a sound name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Creates a sound name.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// The sound of a notification. A desktop plays its own; only whether a notification has a sound matters here.
///
/// <https://developer.apple.com/documentation/usernotifications/unnotificationsound>
open class UNNotificationSound: NSObject, @unchecked Sendable {
    /// The name; empty for the default sound.
    let name: String

    init(name: String) { self.name = name }

    /// Creates a sound of the app.
    public convenience init(named name: UNNotificationSoundName) { self.init(name: name.rawValue) }

    /// The default sound.
    open class var `default`: UNNotificationSound { UNNotificationSound(name: "") }
    /// The default sound of critical alerts.
    open class var defaultCritical: UNNotificationSound { UNNotificationSound(name: "") }
    /// The default sound of calls.
    open class var defaultRingtone: UNNotificationSound { UNNotificationSound(name: "") }

    /// Whether both are the same sound.
    open override func isEqual(_ object: Any?) -> Bool { (object as? UNNotificationSound)?.name == name }
    /// A hash of the property that `isEqual` compares.
    open override var hash: Int { name.hashValue }
}
