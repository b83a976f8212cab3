// SPDX-License-Identifier: Apache-2.0

/// Why an app is not launched or woken for deferred work now.
package enum AppHold: Sendable, Hashable, Codable {
    /// The person swiped it away: only the person launches it.
    case quit
    /// It ended too early so many times in succession; `until` is in seconds on the boot-time clock.
    case backedOff(until: Double, crashes: Int)
    /// Its process is being ended.
    case ending
}
