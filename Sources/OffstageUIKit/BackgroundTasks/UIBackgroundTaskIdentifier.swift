// SPDX-License-Identifier: Apache-2.0

/// The identifier of a background task, from `beginBackgroundTask` and for `endBackgroundTask`.
public struct UIBackgroundTaskIdentifier: Hashable, RawRepresentable, Sendable {
    /// The task's number, counted from 1.
    public let rawValue: Int

    /// Creates an identifier with this number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// No background task. Compare with this constant, not with its number.
    public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}
