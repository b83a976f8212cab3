// SPDX-License-Identifier: Apache-2.0

/// The screen, whose properties are unknown. Declared only.
@preconcurrency @MainActor
open class UIScreen: NSObject {
    /// The main screen.
    public class var main: UIScreen { mainScreen }
    private static let mainScreen = UIScreen()

    /// The screen's size: unknown, so zero.
    open var bounds: CGRect { .zero }
    /// Pixels per point.
    open var scale: CGFloat { 1 }
}
