// SPDX-License-Identifier: Apache-2.0

/// Why an app is launched, or brought to run in background.
package enum LaunchCause: Sendable, Hashable, Codable {
    /// A person opened it: it comes to the front.
    case person
    /// A person had it launched in background.
    case personInBackground
    /// The last outstanding task of a background session has ended, or one needs the app's answer.
    case sessionEvents(String)
    /// Deferred work with this identifier is due.
    case task(String)

    package var isForeground: Bool { self == .person }
}
