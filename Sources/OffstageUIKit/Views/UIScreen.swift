// SPDX-License-Identifier: Apache-2.0

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
