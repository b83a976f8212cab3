// SPDX-License-Identifier: Apache-2.0

/// A scene with windows, which are not shown.
@preconcurrency @MainActor
open class UIWindowScene: UIScene {
    /// The scene's windows.
    open var windows: [UIWindow] { UIWindow.visible.filter { $0.windowScene === self } }
    /// The scene's key window.
    open var keyWindow: UIWindow? { windows.last { $0.isKeyWindow } }
    /// The screen that shows the scene.
    open var screen: UIScreen { .main }
}

/// Receives the life cycle of a scene with windows. Declared only.
@preconcurrency @MainActor
public protocol UIWindowSceneDelegate: UISceneDelegate {
    /// The scene's main window.
    var window: UIWindow? { get set }
    /// Called when a quick action was selected.
    func windowScene(
        _ windowScene: UIWindowScene,
        performActionFor shortcutItem: UIApplicationShortcutItem,
        completionHandler: @escaping (Bool) -> Void
    )
}

extension UIWindowSceneDelegate {
    /// Nil; a new value is not stored.
    public var window: UIWindow? {
        get { nil }
        set {}
    }
    /// Reports that the action was not performed.
    public func windowScene(
        _ windowScene: UIWindowScene,
        performActionFor shortcutItem: UIApplicationShortcutItem,
        completionHandler: @escaping (Bool) -> Void
    ) {
        completionHandler(false)
    }
}
