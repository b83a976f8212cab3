// SPDX-License-Identifier: Apache-2.0

/// A quick action of the app's icon. Declared only: there is no icon.
@preconcurrency @MainActor
open class UIApplicationShortcutItem: NSObject {
    /// The type of action.
    public let type: String
    /// The action's title.
    public let localizedTitle: String

    /// Creates a quick action.
    public init(type: String, localizedTitle: String) {
        self.type = type
        self.localizedTitle = localizedTitle
        super.init()
    }
}

/// Interface orientations. Declared only.
public struct UIInterfaceOrientationMask: OptionSet, Sendable {
    /// The orientations, as bits.
    public let rawValue: UInt
    /// Creates a set of orientations from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Upright.
    public static let portrait = Self(rawValue: 1 << 1)
    /// Upside down.
    public static let portraitUpsideDown = Self(rawValue: 1 << 2)
    /// Turned to the right.
    public static let landscapeRight = Self(rawValue: 1 << 3)
    /// Turned to the left.
    public static let landscapeLeft = Self(rawValue: 1 << 4)
    /// Turned either way.
    public static let landscape: Self = [.landscapeLeft, .landscapeRight]
    /// Every orientation.
    public static let all: Self = [.portrait, .portraitUpsideDown, .landscape]
    /// Every orientation except upside down.
    public static let allButUpsideDown: Self = [.portrait, .landscape]
}
