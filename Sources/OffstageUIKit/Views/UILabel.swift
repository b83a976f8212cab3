// SPDX-License-Identifier: Apache-2.0

/// A line of text that nobody reads.
@preconcurrency @MainActor
open class UILabel: UIView {
    /// The text.
    open var text: String?
    /// Its colour.
    open var textColor: UIColor?
    /// The most lines; 0 for any number.
    open var numberOfLines = 1
}
