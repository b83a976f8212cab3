// SPDX-License-Identifier: Apache-2.0

/// A rectangle of a user interface that is not shown: it only stores its properties.
@preconcurrency @MainActor
open class UIView: UIResponder {
    /// The view's rectangle, in its superview's coordinates.
    open var frame: CGRect
    /// The view's rectangle, in its own coordinates.
    open var bounds: CGRect {
        get { CGRect(origin: .zero, size: frame.size) }
        set { frame.size = newValue.size }
    }
    /// The view's background colour.
    open var backgroundColor: UIColor?
    /// The view's opacity, from 0 to 1.
    open var alpha: CGFloat = 1
    /// Whether the view is hidden.
    open var isHidden = false
    /// Whether the view accepts touches.
    open var isUserInteractionEnabled = true
    /// A number for the app's use.
    open var tag = 0
    /// The view's subviews, the backmost first.
    open private(set) var subviews: [UIView] = []
    /// The view's superview.
    open private(set) weak var superview: UIView?

    /// Creates a view with this frame.
    public init(frame: CGRect) {
        self.frame = frame
        super.init()
    }
    /// Creates a view with an empty frame.
    public convenience override init() { self.init(frame: .zero) }
    /// Decodes nothing.
    public required init?(coder: NSCoder) {
        frame = .zero
        super.init()
    }

    /// The view's window.
    open var window: UIWindow? { self as? UIWindow ?? superview?.window }

    /// Adds a view in front of the other subviews.
    open func addSubview(_ view: UIView) {
        view.removeFromSuperview()
        subviews.append(view)
        view.superview = self
    }
    /// Removes the view from its superview.
    open func removeFromSuperview() {
        superview?.subviews.removeAll { $0 === self }
        superview = nil
    }
    /// Does nothing: there is no layout.
    open func setNeedsLayout() {}
    /// Does nothing: there is no layout.
    open func layoutIfNeeded() {}
    /// Does nothing: there is no drawing.
    open func setNeedsDisplay() {}
}
