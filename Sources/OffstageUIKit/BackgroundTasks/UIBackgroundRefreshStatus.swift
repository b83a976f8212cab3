// SPDX-License-Identifier: Apache-2.0

/// Whether the app may be launched in the background.
public enum UIBackgroundRefreshStatus: Int, Sendable {
    /// Not allowed, and the person cannot change it.
    case restricted = 0
    /// Not allowed.
    case denied = 1
    /// Allowed.
    case available = 2
}
