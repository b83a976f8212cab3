// SPDX-License-Identifier: Apache-2.0

/// The public key that a server must have, as curl writes it.
package enum PinnedKey {
    /// Whether a text is one key hash as curl writes it: curl would take anything else for the path of a file.
    package static func isSound(_ text: String) -> Bool {
        text.hasPrefix("sha256//") && text.utf8.count == 52
            && text.utf8.dropFirst(8).allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="):
                    true
                default: false
                }
            }
    }
}
