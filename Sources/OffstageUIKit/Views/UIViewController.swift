// SPDX-License-Identifier: Apache-2.0

/// What manages part of a user interface that nobody sees: its view is loaded when it is asked for, and the root controller
/// of a window that is made visible appears once.
///
/// <https://developer.apple.com/documentation/uikit/uiviewcontroller>
@preconcurrency @MainActor
open class UIViewController: UIResponder {
    /// What a person would see as its name.
    open var title: String?
    /// What it presents; nil for nothing.
    open private(set) var presentedViewController: UIViewController?
    /// What presents it.
    open private(set) weak var presentingViewController: UIViewController?
    /// The controllers in it.
    open private(set) var children: [UIViewController] = []
    /// What it is in.
    open private(set) weak var parent: UIViewController?

    private var loadedView: UIView?
    private var hasAppeared = false

    /// A controller; nothing is read from a nib.
    public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) { super.init() }

    /// A controller.
    public convenience override init() { self.init(nibName: nil, bundle: nil) }

    /// Nothing is read.
    public required init?(coder: NSCoder) { super.init() }

    /// Its view, which is loaded when it is first asked for.
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
    /// Makes the view.
    open func loadView() { loadedView = UIView(frame: .zero) }
    /// The view is loaded.
    open func viewDidLoad() {}
    /// The view is about to appear, for a window's root controller.
    open func viewWillAppear(_ animated: Bool) {}
    /// The view has appeared, for a window's root controller.
    open func viewDidAppear(_ animated: Bool) {}
    /// Never called: what nobody sees does not disappear.
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

    /// Takes note of what is presented, and goes on.
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

    /// Lets go of what it presents, or of itself where it is presented, and goes on.
    open func dismiss(animated flag: Bool, completion: (() -> Void)? = nil) {
        let presenting = presentedViewController == nil ? presentingViewController : self
        presenting?.presentedViewController?.presentingViewController = nil
        presenting?.presentedViewController = nil
        completion?()
    }

    /// Puts a controller into this one.
    open func addChild(_ childController: UIViewController) {
        childController.removeFromParent()
        children.append(childController)
        childController.parent = self
    }
    /// Takes it out of the one it is in.
    open func removeFromParent() {
        parent?.children.removeAll { $0 === self }
        parent = nil
    }
    /// Does nothing.
    open func didMove(toParent parent: UIViewController?) {}
    /// Does nothing.
    open func willMove(toParent parent: UIViewController?) {}
}
