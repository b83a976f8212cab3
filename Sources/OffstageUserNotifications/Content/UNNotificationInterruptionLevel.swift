// SPDX-License-Identifier: Apache-2.0

/// The urgency of a notification; desktops distinguish low, normal and critical.
///
/// <https://developer.apple.com/documentation/usernotifications/unnotificationinterruptionlevel>
public enum UNNotificationInterruptionLevel: UInt, Sendable {
    /// Low, on a desktop.
    case passive = 0
    /// Normal; the default.
    case active = 1
    /// Normal, on a desktop.
    case timeSensitive = 2
    /// Critical, on a desktop.
    case critical = 3
}
