// SPDX-License-Identifier: Apache-2.0

/// A stack of view controllers, whose top one would be visible.
@preconcurrency @MainActor
open class UINavigationController: UIViewController {
    /// The view controllers, the root first.
    open var viewControllers: [UIViewController] {
        get { children }
        set {
            for child in children { child.removeFromParent() }
            for child in newValue { addChild(child) }
        }
    }
    /// The top view controller.
    open var topViewController: UIViewController? { children.last }

    /// Creates a stack with this root view controller.
    public init(rootViewController: UIViewController) {
        super.init(nibName: nil, bundle: nil)
        addChild(rootViewController)
    }

    /// Decodes nothing.
    public required init?(coder: NSCoder) { super.init(coder: coder) }

    /// Pushes a view controller onto the stack.
    open func pushViewController(_ viewController: UIViewController, animated: Bool) {
        addChild(viewController)
        viewController.loadViewIfNeeded()
    }
    /// Removes the top view controller, unless it is the root.
    @discardableResult
    open func popViewController(animated: Bool) -> UIViewController? {
        guard children.count > 1, let top = children.last else { return nil }
        top.removeFromParent()
        return top
    }
}
