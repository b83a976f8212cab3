// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// Base64 with the alphabet of URLs, without padding (RFC 4648, section 5).
package enum Base64URL {
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        String(
            Data(bytes).base64EncodedString().compactMap { character -> Character? in
                switch character {
                case "+": "-"
                case "/": "_"
                case "=": nil
                default: character
                }
            }
        )
    }
}
