// SPDX-License-Identifier: Apache-2.0

/// Whether an app's life cycle is that of scenes.
package enum SceneStanding: Sendable, Hashable {
    /// The app is sceneless.
    case none
    /// Its scene has not been in front yet.
    case unconnected
    case connected
}
