// SPDX-License-Identifier: Apache-2.0

/// A rectangle of a user interface that nobody sees: it stores its properties.
@preconcurrency @MainActor
open class UIView: UIResponder {
    /// Its place, in its superview.
    open var frame: CGRect
    /// Its size, in its own coordinates.
    open var bounds: CGRect {
        get { CGRect(origin: .zero, size: frame.size) }
        set { frame.size = newValue.size }
    }
    /// Its background.
    open var backgroundColor: UIColor?
    /// Its opacity, from 0 to 1.
    open var alpha: CGFloat = 1
    /// Whether it is hidden.
    open var isHidden = false
    /// Whether it accepts touches.
    open var isUserInteractionEnabled = true
    /// A number of the app's own.
    open var tag = 0
    /// Its subviews, the backmost first.
    open private(set) var subviews: [UIView] = []
    /// Its superview.
    open private(set) weak var superview: UIView?

    /// A view with this place and size.
    public init(frame: CGRect) {
        self.frame = frame
        super.init()
    }
    /// A view.
    public convenience override init() { self.init(frame: .zero) }
    /// Reads nothing.
    public required init?(coder: NSCoder) {
        frame = .zero
        super.init()
    }

    /// Its window.
    open var window: UIWindow? { self as? UIWindow ?? superview?.window }

    /// Puts a view in front of the others in this one.
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
    /// Nothing is laid out.
    open func setNeedsLayout() {}
    /// Nothing is laid out.
    open func layoutIfNeeded() {}
    /// Nothing is drawn.
    open func setNeedsDisplay() {}
}
