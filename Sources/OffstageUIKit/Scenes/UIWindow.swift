// SPDX-License-Identifier: Apache-2.0

/// A window that is never shown: an app that has one brings a toolkit of its own. Declared, so that what names it compiles.
@preconcurrency @MainActor
open class UIWindow: UIResponder {
    /// The scene that it belongs to.
    open weak var windowScene: UIWindowScene?
    /// What manages what it would show.
    open var rootViewController: UIViewController?
    /// Where it would be.
    open var frame = CGRect.zero
    /// Whether it is seen: no.
    open var isKeyWindow: Bool { false }

    /// A window of a scene.
    public init(windowScene: UIWindowScene) {
        self.windowScene = windowScene
        super.init()
    }

    /// A window of this place and size.
    public init(frame: CGRect) {
        self.frame = frame
        super.init()
    }

    /// A window.
    public override init() { super.init() }

    /// Shows nothing.
    open func makeKeyAndVisible() {}
    /// Does nothing.
    open func makeKey() {}
}

/// What manages part of a user interface. Declared only: nothing loads or shows its view.
@preconcurrency @MainActor
open class UIViewController: UIResponder {
    /// What a person would see as its name.
    open var title: String?

    /// A view controller.
    public override init() { super.init() }

    /// Never called.
    open func viewDidLoad() {}
    /// Never called.
    open func viewWillAppear(_ animated: Bool) {}
    /// Never called.
    open func viewDidAppear(_ animated: Bool) {}
    /// Never called.
    open func viewWillDisappear(_ animated: Bool) {}
    /// Never called.
    open func viewDidDisappear(_ animated: Bool) {}
    /// Never called.
    open func didReceiveMemoryWarning() {}
}

/// The screen, of which nothing is known. Declared only.
@preconcurrency @MainActor
open class UIScreen: NSObject {
    /// The main screen.
    public class var main: UIScreen { mainScreen }
    private static let mainScreen = UIScreen()

    /// Its size: none is known.
    open var bounds: CGRect { .zero }
    /// Pixels to a point.
    open var scale: CGFloat { 1 }
}
