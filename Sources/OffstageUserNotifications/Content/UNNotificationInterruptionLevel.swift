// SPDX-License-Identifier: Apache-2.0

/// The urgency of a notification; a desktop knows low, normal and critical.
///
/// <https://developer.apple.com/documentation/usernotifications/unnotificationinterruptionlevel>
public enum UNNotificationInterruptionLevel: UInt, Sendable {
    /// Low, on a desktop.
    case passive = 0
    /// Normal, as it is unless the app says otherwise.
    case active = 1
    /// Normal, on a desktop.
    case timeSensitive = 2
    /// Critical, on a desktop.
    case critical = 3
}
