// SPDX-License-Identifier: Apache-2.0

/// The identifier of a background task, from `beginBackgroundTask` and for `endBackgroundTask`.
public struct UIBackgroundTaskIdentifier: Hashable, RawRepresentable, Sendable {
    /// Counts up from 1.
    public let rawValue: Int

    /// An identifier of this number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// No background task. Compare with it, not with its number.
    public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}
