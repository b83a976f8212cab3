// SPDX-License-Identifier: Apache-2.0

/// A rectangle of a user interface that nobody sees: it keeps what it is told.
@preconcurrency @MainActor
open class UIView: UIResponder {
    /// Where it would be, in its superview.
    open var frame: CGRect
    /// Its size, in its own coordinates.
    open var bounds: CGRect {
        get { CGRect(origin: .zero, size: frame.size) }
        set { frame.size = newValue.size }
    }
    /// What it would be filled with.
    open var backgroundColor: UIColor?
    /// How much of it would be seen, from 0 to 1.
    open var alpha: CGFloat = 1
    /// Whether it would be left out.
    open var isHidden = false
    /// Whether it would hear of touches.
    open var isUserInteractionEnabled = true
    /// A number of the app's own.
    open var tag = 0
    /// The views in it, the backmost first.
    open private(set) var subviews: [UIView] = []
    /// What it is in.
    open private(set) weak var superview: UIView?

    /// A view of this place and size.
    public init(frame: CGRect) {
        self.frame = frame
        super.init()
    }
    /// A view.
    public convenience override init() { self.init(frame: .zero) }
    /// Nothing is read.
    public required init?(coder: NSCoder) {
        frame = .zero
        super.init()
    }

    /// The window that it is in.
    open var window: UIWindow? { self as? UIWindow ?? superview?.window }

    /// Puts a view in front of the others in this one.
    open func addSubview(_ view: UIView) {
        view.removeFromSuperview()
        subviews.append(view)
        view.superview = self
    }
    /// Takes it out of what it is in.
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
