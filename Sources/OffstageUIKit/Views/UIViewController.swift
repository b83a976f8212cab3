// SPDX-License-Identifier: Apache-2.0

/// Manages part of a user interface that nobody sees: its view is loaded on demand, and the root controller of a window
/// that is made visible appears once.
///
/// <https://developer.apple.com/documentation/uikit/uiviewcontroller>
@preconcurrency @MainActor
open class UIViewController: UIResponder {
    /// Its visible name.
    open var title: String?
    /// The controller that it presents; nil for none.
    open private(set) var presentedViewController: UIViewController?
    /// The controller that presents it.
    open private(set) weak var presentingViewController: UIViewController?
    /// Its child controllers.
    open private(set) var children: [UIViewController] = []
    /// Its parent controller.
    open private(set) weak var parent: UIViewController?

    private var loadedView: UIView?
    private var hasAppeared = false

    /// A controller; nothing is read from a nib.
    public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) { super.init() }

    /// A controller.
    public convenience override init() { self.init(nibName: nil, bundle: nil) }

    /// Reads nothing.
    public required init?(coder: NSCoder) { super.init() }

    /// Its view, which is loaded at its first use.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var view: UIView! {  // As Apple declares it: an app's code relies on it.
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

    /// Loads its view, unless that is loaded.
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
    /// The view is about to appear, for a window's root controller.
    open func viewWillAppear(_ animated: Bool) {}
    /// The view has appeared, for a window's root controller.
    open func viewDidAppear(_ animated: Bool) {}
    /// Never called: an invisible view does not disappear.
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

    /// Records the presented controller, and calls `completion`.
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

    /// Releases the presented controller, or itself if it is presented, and calls `completion`.
    open func dismiss(animated flag: Bool, completion: (() -> Void)? = nil) {
        let presenting = presentedViewController == nil ? presentingViewController : self
        presenting?.presentedViewController?.presentingViewController = nil
        presenting?.presentedViewController = nil
        completion?()
    }

    /// Adds a child controller.
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
