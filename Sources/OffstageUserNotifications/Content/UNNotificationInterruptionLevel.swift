// SPDX-License-Identifier: Apache-2.0

/// The urgency of a notification; a desktop knows low, normal and critical.
///
/// <https://developer.apple.com/documentation/usernotifications/unnotificationinterruptionlevel>
public enum UNNotificationInterruptionLevel: UInt, Sendable {
    case passive = 0
    case active = 1
    case timeSensitive = 2
    case critical = 3
}
