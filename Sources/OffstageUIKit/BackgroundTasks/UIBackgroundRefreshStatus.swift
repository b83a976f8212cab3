// SPDX-License-Identifier: Apache-2.0

/// Whether an app may be launched in the background.
public enum UIBackgroundRefreshStatus: Int, Sendable {
    /// No, and the person cannot change it.
    case restricted = 0
    /// No.
    case denied = 1
    /// Yes.
    case available = 2
}
