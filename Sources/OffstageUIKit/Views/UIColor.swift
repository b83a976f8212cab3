// SPDX-License-Identifier: Apache-2.0

/// A colour that is not shown: four numbers from 0 to 1. Unchecked `Sendable`, since it is immutable.
open class UIColor: NSObject, @unchecked Sendable {
    private let components: [CGFloat]

    /// Creates a colour with these components.
    public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        components = [red, green, blue, alpha]
    }
    /// Creates a shade of grey.
    public convenience init(white: CGFloat, alpha: CGFloat) {
        self.init(red: white, green: white, blue: white, alpha: alpha)
    }

    /// Whether the components are equal.
    open override func isEqual(_ object: Any?) -> Bool { (object as? UIColor)?.components == components }
    /// A hash of the components.
    open override var hash: Int { components.hashValue }

    /// Black.
    public class var black: UIColor { UIColor(white: 0, alpha: 1) }
    /// White.
    public class var white: UIColor { UIColor(white: 1, alpha: 1) }
    /// Grey.
    public class var gray: UIColor { UIColor(white: 0.5, alpha: 1) }
    /// Red.
    public class var red: UIColor { UIColor(red: 1, green: 0, blue: 0, alpha: 1) }
    /// Green.
    public class var green: UIColor { UIColor(red: 0, green: 1, blue: 0, alpha: 1) }
    /// Blue.
    public class var blue: UIColor { UIColor(red: 0, green: 0, blue: 1, alpha: 1) }
    /// Transparent.
    public class var clear: UIColor { UIColor(white: 0, alpha: 0) }
    /// The background: white.
    public class var systemBackground: UIColor { .white }
    /// The colour of text: black.
    public class var label: UIColor { .black }
}
