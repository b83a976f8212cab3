// SPDX-License-Identifier: Apache-2.0

/// Manages part of a user interface that is not shown. Its view is loaded on demand, and the root view controller of a
/// window that is made visible appears once.
///
/// <https://developer.apple.com/documentation/uikit/uiviewcontroller>
@preconcurrency @MainActor
open class UIViewController: UIResponder {
    /// The view controller's title.
    open var title: String?
    /// The view controller that this one presents; nil if there is none.
    open private(set) var presentedViewController: UIViewController?
    /// The view controller that presents this one.
    open private(set) weak var presentingViewController: UIViewController?
    /// The child view controllers.
    open private(set) var children: [UIViewController] = []
    /// The parent view controller.
    open private(set) weak var parent: UIViewController?

    private var loadedView: UIView?
    private var hasAppeared = false

    /// Creates a view controller; no nib is loaded.
    public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) { super.init() }

    /// Creates a view controller.
    public convenience override init() { self.init(nibName: nil, bundle: nil) }

    /// Decodes nothing.
    public required init?(coder: NSCoder) { super.init() }

    /// The view, which is loaded on first use.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var view: UIView! {  // As Apple declares it: apps rely on it.
        get {
            loadViewIfNeeded()
            return loadedView
        }
        set { loadedView = newValue }
    }
    /// The view, if it is loaded.
    open var viewIfLoaded: UIView? { loadedView }
    /// Whether the view is loaded.
    open var isViewLoaded: Bool { loadedView != nil }

    /// Loads the view, unless it is already loaded.
    open func loadViewIfNeeded() {
        guard loadedView == nil else { return }
        loadView()
        if loadedView == nil { loadedView = UIView(frame: .zero) }
        viewDidLoad()
    }
    /// Creates the view.
    open func loadView() { loadedView = UIView(frame: .zero) }
    /// Called when the view has been loaded.
    open func viewDidLoad() {}
    /// Called for a window's root view controller when its view is about to appear.
    open func viewWillAppear(_ animated: Bool) {}
    /// Called for a window's root view controller when its view has appeared.
    open func viewDidAppear(_ animated: Bool) {}
    /// Never called: a view that is not visible does not disappear.
    open func viewWillDisappear(_ animated: Bool) {}
    /// Never called.
    open func viewDidDisappear(_ animated: Bool) {}
    /// Never called.
    open func didReceiveMemoryWarning() {}

    func appearOnce() {
        guard !hasAppeared else { return }
        hasAppeared = true
        loadViewIfNeeded()
        viewWillAppear(false)
        viewDidAppear(false)
        for child in children { child.appearOnce() }
    }

    /// Stores the presented view controller, and calls `completion`.
    open func present(
        _ viewControllerToPresent: UIViewController,
        animated flag: Bool,
        completion: (() -> Void)? = nil
    ) {
        presentedViewController = viewControllerToPresent
        viewControllerToPresent.presentingViewController = self
        viewControllerToPresent.loadViewIfNeeded()
        completion?()
    }

    /// Releases the presented view controller, or this one if it is presented, and calls `completion`.
    open func dismiss(animated flag: Bool, completion: (() -> Void)? = nil) {
        let presenting = presentedViewController == nil ? presentingViewController : self
        presenting?.presentedViewController?.presentingViewController = nil
        presenting?.presentedViewController = nil
        completion?()
    }

    /// Adds a child view controller.
    open func addChild(_ childController: UIViewController) {
        childController.removeFromParent()
        children.append(childController)
        childController.parent = self
    }
    /// Removes the view controller from its parent.
    open func removeFromParent() {
        parent?.children.removeAll { $0 === self }
        parent = nil
    }
    /// Does nothing.
    open func didMove(toParent parent: UIViewController?) {}
    /// Does nothing.
    open func willMove(toParent parent: UIViewController?) {}
}
