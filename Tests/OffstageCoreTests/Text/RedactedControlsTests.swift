// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct RedactedControlsTests {
    /// Characters that must never reach a terminal or a log.
    private static let unfit: [ClosedRange<UInt32>] = [
        0...0x1F, 0x7F...0x9F, 0xAD...0xAD, 0x34F...0x34F, 0x61C...0x61C, 0x115F...0x1160, 0x17B4...0x17B5,
        0x180B...0x180F, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0x3164...0x3164, 0xFEFF...0xFEFF,
        0xFFA0...0xFFA0, 0xFFF9...0xFFFB, 0xFFFE...0xFFFF, 0xFDD0...0xFDEF, 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A,
        0xE0000...0xE0FFF, 0x1FFFE...0x1FFFF,
    ]

    @Test(arguments: unfit)
    func `what moves, turns or hides text is replaced`(range: ClosedRange<UInt32>) {
        for value in range {
            guard let scalar = Unicode.Scalar(value) else { continue }
            #expect("a\(scalar)b".redactedControls == "a\u{FFFD}b", "U+\(String(value, radix: 16))")
            #expect(scalar.isUnfitForTerminals)
        }
    }

    @Test(arguments: [
        "plain", "Grüße aus 東京", "été e\u{301}", "👩‍👩‍👧 ❤️ 👍🏽 1️⃣ 🏳️‍🌈", "שלום עולם", "नमस्ते", "Việt Nam", "a\u{A0}b", "日本語", "",
        "\u{FFFD}", "שָׁ֖לוֹם",
    ])
    func `what people write stays as it is`(text: String) {
        #expect(text.redactedControls == text)
    }

    @Test func `control characters never reach a terminal`() {
        #expect("a\u{1B}[2Jb\u{7F}\u{9B}ü\r\n".redactedControls == "a\u{FFFD}[2Jb\u{FFFD}\u{FFFD}ü\u{FFFD}\u{FFFD}")
    }

    @Test func `a joiner between letters and a selector behind one are replaced`() {
        #expect("ad\u{200D}min".redactedControls == "ad\u{FFFD}min")
        #expect("ad\u{FE0F}min".redactedControls == "ad\u{FFFD}min")
        #expect("a\u{E0100}".redactedControls == "a\u{FFFD}")
    }

    @Test func `marks are not piled up without end`() {
        let piled = "Z" + String(repeating: "\u{30D}", count: 10_000) + "a"
        #expect(piled.redactedControls.unicodeScalars.count == 1 + 8 + 1 + 1)
    }

    @Test func `bytes that are no text become text`() {
        #expect(
            String(decoding: [0x61, 0xFF, 0xC3, 0x1B], as: UTF8.self).redactedControls == "a\u{FFFD}\u{FFFD}\u{FFFD}"
        )
    }
}
