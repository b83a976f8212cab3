// SPDX-License-Identifier: Apache-2.0

/// A button that nobody presses.
@preconcurrency @MainActor
open class UIButton: UIView {
    /// Whether it could be pressed.
    open var isEnabled = true
    private var title: String?

    /// Keeps the title.
    open func setTitle(_ title: String?, for state: State) { self.title = title }
    /// The title.
    open func title(for state: State) -> String? { title }

    /// The state of a button.
    public struct State: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt
        /// A state of these bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// The normal state.
        public static let normal: State = []
        /// Being pressed.
        public static let highlighted = State(rawValue: 1)
        /// Disabled.
        public static let disabled = State(rawValue: 2)
    }
}
