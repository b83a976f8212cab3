// SPDX-License-Identifier: Apache-2.0

/// Receives a scene's life cycle, in an app with scenes.
@preconcurrency @MainActor
public protocol UISceneDelegate: NSObjectProtocol {
    /// Called when a scene connects.
    func scene(
        _ scene: UIScene,
        willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions
    )
    /// Called when a scene was disconnected.
    func sceneDidDisconnect(_ scene: UIScene)
    /// Called when a scene has become active.
    func sceneDidBecomeActive(_ scene: UIScene)
    /// Called when a scene is about to become inactive.
    func sceneWillResignActive(_ scene: UIScene)
    /// Called when a scene is about to enter the foreground.
    func sceneWillEnterForeground(_ scene: UIScene)
    /// Called when a scene is in the background.
    func sceneDidEnterBackground(_ scene: UIScene)
    /// Called when the scene is asked to open URLs.
    func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>)
    /// Called when the scene is asked to continue an activity.
    func scene(_ scene: UIScene, continue userActivity: NSUserActivity)
    /// The activity that preserves the scene's state.
    func stateRestorationActivity(for scene: UIScene) -> NSUserActivity?
}

extension UISceneDelegate {
    /// Does nothing.
    public func scene(
        _ scene: UIScene,
        willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions
    ) {}
    /// Does nothing.
    public func sceneDidDisconnect(_ scene: UIScene) {}
    /// Does nothing.
    public func sceneDidBecomeActive(_ scene: UIScene) {}
    /// Does nothing.
    public func sceneWillResignActive(_ scene: UIScene) {}
    /// Does nothing.
    public func sceneWillEnterForeground(_ scene: UIScene) {}
    /// Does nothing.
    public func sceneDidEnterBackground(_ scene: UIScene) {}
    /// Does nothing.
    public func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>) {}
    /// Does nothing.
    public func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {}
    /// Nil: there is no state to restore.
    public func stateRestorationActivity(for scene: UIScene) -> NSUserActivity? { nil }
}
