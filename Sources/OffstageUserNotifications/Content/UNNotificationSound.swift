// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// The name of a sound file.
public struct UNNotificationSoundName: RawRepresentable, Hashable, Sendable {
    /// The name.
    public let rawValue: String
    /// A sound of a name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A sound of a name.
    public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// Which sound a notification plays. A desktop plays its own; what counts here is whether there is one.
///
/// <https://developer.apple.com/documentation/usernotifications/unnotificationsound>
open class UNNotificationSound: NSObject, @unchecked Sendable {
    /// Empty for the default one.
    let name: String

    init(name: String) { self.name = name }

    /// A sound of the app's own.
    public convenience init(named name: UNNotificationSoundName) { self.init(name: name.rawValue) }

    /// The usual one.
    open class var `default`: UNNotificationSound { UNNotificationSound(name: "") }
    /// The usual one of critical alerts.
    open class var defaultCritical: UNNotificationSound { UNNotificationSound(name: "") }
    /// The usual one of calls.
    open class var defaultRingtone: UNNotificationSound { UNNotificationSound(name: "") }

    /// Whether both play the same.
    open override func isEqual(_ object: Any?) -> Bool { (object as? UNNotificationSound)?.name == name }
    /// Of what `isEqual` compares.
    open override var hash: Int { name.hashValue }
}
