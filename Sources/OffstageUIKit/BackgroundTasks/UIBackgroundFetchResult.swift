// SPDX-License-Identifier: Apache-2.0

/// What came of a fetch in background.
public enum UIBackgroundFetchResult: UInt, Sendable {
    /// There was something new.
    case newData = 0
    /// There was nothing new.
    case noData = 1
    /// It did not work.
    case failed = 2
}
