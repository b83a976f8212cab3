// SPDX-License-Identifier: Apache-2.0

/// A row of controllers, of which the last would be seen.
@preconcurrency @MainActor
open class UINavigationController: UIViewController {
    /// The controllers, the root first.
    open var viewControllers: [UIViewController] {
        get { children }
        set {
            for child in children { child.removeFromParent() }
            for child in newValue { addChild(child) }
        }
    }
    /// The last one.
    open var topViewController: UIViewController? { children.last }

    /// A row that begins with this one.
    public init(rootViewController: UIViewController) {
        super.init(nibName: nil, bundle: nil)
        addChild(rootViewController)
    }

    /// Nothing is read.
    public required init?(coder: NSCoder) { super.init(coder: coder) }

    /// Puts a controller on top.
    open func pushViewController(_ viewController: UIViewController, animated: Bool) {
        addChild(viewController)
        viewController.loadViewIfNeeded()
    }
    /// Takes the top one away, unless it is the root.
    @discardableResult
    open func popViewController(animated: Bool) -> UIViewController? {
        guard children.count > 1, let top = children.last else { return nil }
        top.removeFromParent()
        return top
    }
}
