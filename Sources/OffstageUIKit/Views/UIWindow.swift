// SPDX-License-Identifier: Apache-2.0

/// A window that is not shown: an app that shows a window on a screen uses a toolkit for it. Once the window is made
/// visible, its root view controller loads its view and appears, once.
@preconcurrency @MainActor
open class UIWindow: UIView {
    /// The windows that were made visible, in order.
    static var visible: [UIWindow] = []

    /// The scene that the window belongs to.
    open weak var windowScene: UIWindowScene?
    /// The root view controller of the window's content.
    open var rootViewController: UIViewController? {
        didSet { if UIWindow.visible.contains(where: { $0 === self }) { rootViewController?.appearOnce() } }
    }
    /// Whether this window was most recently made key.
    open private(set) var isKeyWindow = false

    /// Creates a window in a scene.
    public init(windowScene: UIWindowScene) {
        self.windowScene = windowScene
        super.init(frame: .zero)
    }

    /// Creates a window with this frame.
    public override init(frame: CGRect) { super.init(frame: frame) }

    /// Decodes nothing.
    public required init?(coder: NSCoder) { super.init(coder: coder) }

    /// Becomes the key window, and makes its root view controller appear. Shows nothing.
    open func makeKeyAndVisible() {
        if !UIWindow.visible.contains(where: { $0 === self }) { UIWindow.visible.append(self) }
        makeKey()
        rootViewController?.appearOnce()
    }

    /// Becomes the key window.
    open func makeKey() {
        for window in UIWindow.visible { window.isKeyWindow = false }
        isKeyWindow = true
    }
}
