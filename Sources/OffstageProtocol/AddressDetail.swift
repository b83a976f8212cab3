// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// One of the addresses of a download's file, as `show` prints it.
package struct AddressDetail: Codable, Sendable, Equatable {
    /// The URL, without secrets unless a person has requested them.
    package var url: String
    /// Whether it is the one in use.
    package var isInUse: Bool
    /// Why the address was last abandoned; nil if it never was.
    package var trouble: String?
    /// Whether the address is never used again.
    package var isLeftForGood: Bool

    /// All addresses of a list, in order; nil if there is only one.
    static func all(of mirrors: MirrorList, reveals: Bool) -> [AddressDetail]? {
        guard mirrors.addresses.count > 1 else { return nil }
        return mirrors.addresses.enumerated().map { index, address in
            AddressDetail(
                url: reveals ? address.url.unredacted : address.url.description,
                isInUse: index == mirrors.current,
                trouble: address.trouble?.failure.detail,
                isLeftForGood: address.trouble?.isForGood ?? false
            )
        }
    }
}
