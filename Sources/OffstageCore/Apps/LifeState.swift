// SPDX-License-Identifier: Apache-2.0

/// The state of an app. Code in the app sees `inactive`, `active` and `background` only
/// (<https://developer.apple.com/documentation/uikit/uiapplication/state>).
package enum LifeState: String, Sendable, Hashable, Codable, CaseIterable {
    /// There is a process, or will be soon, and `didFinishLaunching` has not returned.
    case launching
    /// In front, but not, not yet or no longer in use.
    case inactive
    case active
    /// Running, but not in front: it is entering the background, has time to finish, or handles a session's events.
    case background
    /// Stopped by the kernel.
    case suspended
    /// There is no process.
    case terminated
}
