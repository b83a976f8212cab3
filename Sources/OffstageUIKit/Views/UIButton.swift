// SPDX-License-Identifier: Apache-2.0

/// A button that is not shown.
@preconcurrency @MainActor
open class UIButton: UIView {
    /// Whether the button is enabled.
    open var isEnabled = true
    private var titles: [UInt: String] = [:]

    /// Stores the title for a state.
    open func setTitle(_ title: String?, for state: State) { titles[state.rawValue] = title }
    /// Returns the title for a state: the one for `normal` unless the state has its own, as on Apple's platforms.
    open func title(for state: State) -> String? { titles[state.rawValue] ?? titles[State.normal.rawValue] }

    /// The state of a button.
    public struct State: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt
        /// Creates a set of states from its bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// The normal state.
        public static let normal: State = []
        /// Highlighted.
        public static let highlighted = State(rawValue: 1)
        /// Disabled.
        public static let disabled = State(rawValue: 2)
    }
}
