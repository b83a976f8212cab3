// SPDX-License-Identifier: Apache-2.0

/// Who may read a value in a message, as Apple's `OSLogPrivacy`. What may not be read is `<private>` in every place that an
/// entry goes to.
public struct OSLogPrivacy: Sendable, Equatable {
    /// What stands for a value that may not be read.
    public enum Mask: Sendable, Equatable {
        /// A hash of it: equal values of one process have equal hashes, and no other process has them.
        case hash
        /// Nothing but that it was private.
        case none
    }

    enum Option: Sendable, Equatable { case automatic, shown, hidden, sensitive }

    let option: Option
    let mask: Mask

    /// Numbers, truth values and texts of the program itself are shown, other texts and objects are not.
    public static let auto = OSLogPrivacy(option: .automatic, mask: .none)
    /// Shown.
    public static let `public` = OSLogPrivacy(option: .shown, mask: .none)
    /// Not shown.
    public static let `private` = OSLogPrivacy(option: .hidden, mask: .none)
    /// Not shown, as `private`: Apple shows these not even to a developer who has asked for private values.
    public static let sensitive = OSLogPrivacy(option: .sensitive, mask: .none)

    /// As `auto`, with something that stands for what is not shown.
    public static func auto(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(option: .automatic, mask: mask) }
    /// As `private`, with something that stands for it.
    public static func `private`(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(option: .hidden, mask: mask) }
    /// As `sensitive`, with something that stands for it.
    public static func sensitive(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(option: .sensitive, mask: mask) }
}
