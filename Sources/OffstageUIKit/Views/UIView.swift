// SPDX-License-Identifier: Apache-2.0

/// A rectangle of a user interface that is not shown: it only stores its properties.
@preconcurrency @MainActor
open class UIView: UIResponder {
    /// Its rectangle, in the coordinates of its superview.
    open var frame: CGRect
    /// Its rectangle, in its own coordinates.
    open var bounds: CGRect {
        get { CGRect(origin: .zero, size: frame.size) }
        set { frame.size = newValue.size }
    }
    /// Its background colour.
    open var backgroundColor: UIColor?
    /// Its opacity, from 0 to 1.
    open var alpha: CGFloat = 1
    /// Whether it is hidden.
    open var isHidden = false
    /// Whether it accepts touches.
    open var isUserInteractionEnabled = true
    /// A number for the app's use.
    open var tag = 0
    /// Its subviews, the backmost first.
    open private(set) var subviews: [UIView] = []
    /// Its superview.
    open private(set) weak var superview: UIView?

    /// A view with this frame.
    public init(frame: CGRect) {
        self.frame = frame
        super.init()
    }
    /// A view with an empty frame.
    public convenience override init() { self.init(frame: .zero) }
    /// Decodes nothing.
    public required init?(coder: NSCoder) {
        frame = .zero
        super.init()
    }

    /// Its window.
    open var window: UIWindow? { self as? UIWindow ?? superview?.window }

    /// Adds a view in front of the other subviews.
    open func addSubview(_ view: UIView) {
        view.removeFromSuperview()
        subviews.append(view)
        view.superview = self
    }
    /// Removes it from its superview.
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
