// SPDX-License-Identifier: Apache-2.0

/// A window that nobody sees: an app that has one on a screen brings a toolkit of its own. Made visible, it has its root
/// controller load its view and appear, once.
@preconcurrency @MainActor
open class UIWindow: UIView {
    /// Those that were made visible, in that order.
    static var visible: [UIWindow] = []

    /// The scene that it belongs to.
    open weak var windowScene: UIWindowScene?
    /// What manages what it would show.
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

    /// A window of this place and size.
    public override init(frame: CGRect) { super.init(frame: frame) }

    /// Nothing is read.
    public required init?(coder: NSCoder) { super.init(coder: coder) }

    /// Becomes key, and has its root controller appear. Shows nothing.
    open func makeKeyAndVisible() {
        if !UIWindow.visible.contains(where: { $0 === self }) { UIWindow.visible.append(self) }
        makeKey()
        rootViewController?.appearOnce()
    }

    /// Becomes the window that is used.
    open func makeKey() {
        for window in UIWindow.visible { window.isKeyWindow = false }
        isKeyWindow = true
    }
}
