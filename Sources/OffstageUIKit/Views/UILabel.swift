// SPDX-License-Identifier: Apache-2.0

/// A line of text that is not shown.
@preconcurrency @MainActor
open class UILabel: UIView {
    /// The text.
    open var text: String?
    /// The text's colour.
    open var textColor: UIColor?
    /// The maximum number of lines; 0 for no limit.
    open var numberOfLines = 1
}
