// SPDX-License-Identifier: Apache-2.0

/// Manages part of a user interface that is not shown: its view is loaded on demand, and the root view controller of a
/// window that is made visible appears once.
///
/// <https://developer.apple.com/documentation/uikit/uiviewcontroller>
@preconcurrency @MainActor
open class UIViewController: UIResponder {
    /// Its title.
    open var title: String?
    /// The view controller that it presents; nil if absent.
    open private(set) var presentedViewController: UIViewController?
    /// The view controller that presents it.
    open private(set) weak var presentingViewController: UIViewController?
    /// Its child view controllers.
    open private(set) var children: [UIViewController] = []
    /// Its parent view controller.
    open private(set) weak var parent: UIViewController?

    private var loadedView: UIView?
    private var hasAppeared = false

    /// A view controller; no nib is loaded.
    public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) { super.init() }

    /// A view controller.
    public convenience override init() { self.init(nibName: nil, bundle: nil) }

    /// Decodes nothing.
    public required init?(coder: NSCoder) { super.init() }

    /// Its view, which is loaded when it is first used.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var view: UIView! {  // As Apple declares it: apps rely on it.
        get {
            loadViewIfNeeded()
            return loadedView
        }
        set { loadedView = newValue }
    }
    /// Its view, if it is loaded.
    open var viewIfLoaded: UIView? { loadedView }
    /// Whether its view is loaded.
    open var isViewLoaded: Bool { loadedView != nil }

    /// Loads its view, unless it is already loaded.
    open func loadViewIfNeeded() {
        guard loadedView == nil else { return }
        loadView()
        if loadedView == nil { loadedView = UIView(frame: .zero) }
        viewDidLoad()
    }
    /// Creates the view.
    open func loadView() { loadedView = UIView(frame: .zero) }
    /// The view is loaded.
    open func viewDidLoad() {}
    /// The view is about to appear: called for a window's root view controller.
    open func viewWillAppear(_ animated: Bool) {}
    /// The view has appeared: called for a window's root view controller.
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
    /// Removes it from its parent.
    open func removeFromParent() {
        parent?.children.removeAll { $0 === self }
        parent = nil
    }
    /// Does nothing.
    open func didMove(toParent parent: UIViewController?) {}
    /// Does nothing.
    open func willMove(toParent parent: UIViewController?) {}
}
