// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore

/// A server's text that contains a secret, plain or encoded as the first byte selects. The first line is the secret.
enum SecretTarget {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var input = FuzzInput(bytes)
        let way = input.choice(4)
        let secret = Array(input.part(endingAt: UInt8(ascii: "\n")))
        let text = Array(input.rest())
        let redactor = SecretRedactor([String(decoding: secret, as: UTF8.self)])
        _ = redactor.strike(text, isCut: true)
        _ = HeaderField(name: "Location", value: String(decoding: text, as: UTF8.self)).shown
        // Text decoded from bytes that are not valid text is a different secret.
        guard secret.count >= SecretRedactor.part, secret.allSatisfy({ (33...126).contains($0) }) else { return }
        let written = encode(secret, way)
        let struck = redactor.strike(text + [UInt8(ascii: "\"")] + written + [UInt8(ascii: "\"")] + text)
        promise(
            struck.firstRange(of: written) == nil,
            "\(String(decoding: written, as: UTF8.self)) is still in \(String(decoding: struck, as: UTF8.self))"
        )
    }

    private static func encode(_ secret: [UInt8], _ way: Int) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        switch way {
        case 1: return secret.flatMap { [UInt8(ascii: "%"), digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        case 2: return secret.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        case 3: return Array(Data(secret).base64EncodedString().utf8)
        default: return secret
        }
    }
}
