// SPDX-License-Identifier: Apache-2.0

/// A method of the scene's delegate, with the notification that belongs to it
/// (<https://developer.apple.com/documentation/uikit/uiscenedelegate>).
package enum SceneCall: Sendable, Hashable {
    /// `scene(_:willConnectTo:options:)`
    case willConnect
    /// `sceneWillEnterForeground(_:)`
    case willEnterForeground
    /// `sceneDidBecomeActive(_:)`
    case didBecomeActive
    /// `sceneWillResignActive(_:)`
    case willResignActive
    /// `sceneDidEnterBackground(_:)`
    case didEnterBackground
    /// `sceneDidDisconnect(_:)`
    case didDisconnect

    /// The notification that is posted after the call.
    package var notification: String {
        switch self {
        case .willConnect: "UISceneWillConnectNotification"
        case .willEnterForeground: "UISceneWillEnterForegroundNotification"
        case .didBecomeActive: "UISceneDidActivateNotification"
        case .willResignActive: "UISceneWillDeactivateNotification"
        case .didEnterBackground: "UISceneDidEnterBackgroundNotification"
        case .didDisconnect: "UISceneDidDisconnectNotification"
        }
    }
}
