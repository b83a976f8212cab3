// SPDX-License-Identifier: Apache-2.0

/// A window that nobody sees: an app with a window on a screen uses a toolkit of its own. Once it is made visible, its
/// root controller loads its view and appears, once.
@preconcurrency @MainActor
open class UIWindow: UIView {
    /// The windows that were made visible, in that order.
    static var visible: [UIWindow] = []

    /// The scene that it belongs to.
    open weak var windowScene: UIWindowScene?
    /// The root controller of its content.
    open var rootViewController: UIViewController? {
        didSet { if UIWindow.visible.contains(where: { $0 === self }) { rootViewController?.appearOnce() } }
    }
    /// Whether it was made key last.
    open private(set) var isKeyWindow = false

    /// A window of a scene.
    public init(windowScene: UIWindowScene) {
        self.windowScene = windowScene
        super.init(frame: .zero)
    }

    /// A window with this place and size.
    public override init(frame: CGRect) { super.init(frame: frame) }

    /// Reads nothing.
    public required init?(coder: NSCoder) { super.init(coder: coder) }

    /// Becomes key, and makes its root controller appear. Shows nothing.
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
