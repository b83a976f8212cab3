// SPDX-License-Identifier: Apache-2.0

/// The result of a fetch in the background.
public enum UIBackgroundFetchResult: UInt, Sendable {
    /// There was something new.
    case newData = 0
    /// There was nothing new.
    case noData = 1
    /// It failed.
    case failed = 2
}
