// SPDX-License-Identifier: Apache-2.0

/// Who may read a value in a message, like Apple's `OSLogPrivacy`. A value that may not be read is shown as `<private>`
/// in every destination of the entry.
public struct OSLogPrivacy: Sendable, Equatable {
    /// The replacement for a value that may not be read.
    public enum Mask: Sendable, Equatable {
        /// A hash of the value: equal values in one process have equal hashes, which differ from every other process's
        /// hashes.
        case hash
        /// Only the fact that the value was private.
        case none
    }

    enum Option: Sendable, Equatable { case automatic, shown, hidden, sensitive }

    let option: Option
    let mask: Mask

    /// Numbers, Boolean values and string literals are shown; other strings and objects are not.
    public static let auto = OSLogPrivacy(option: .automatic, mask: .none)
    /// Shown.
    public static let `public` = OSLogPrivacy(option: .shown, mask: .none)
    /// Not shown.
    public static let `private` = OSLogPrivacy(option: .hidden, mask: .none)
    /// Not shown, like `private`: Apple does not show sensitive values even to a developer who has asked for private
    /// values.
    public static let sensitive = OSLogPrivacy(option: .sensitive, mask: .none)

    /// The same as `auto`, with a replacement for a value that is not shown.
    public static func auto(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(option: .automatic, mask: mask) }
    /// The same as `private`, with a replacement for the value.
    public static func `private`(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(option: .hidden, mask: mask) }
    /// The same as `sensitive`, with a replacement for the value.
    public static func sensitive(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(option: .sensitive, mask: mask) }
}
