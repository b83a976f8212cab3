// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCommands
import OffstageTestSupport
import Testing

/// What is printed, whoever wrote it.
@Suite struct TerminalTextTests {
    private static let evil = "a\u{1B}[2J\u{1B}]0;x\u{07}\u{202E}b\u{200D}c\u{2028}\u{E0041}\u{7F}\u{9B}31m\r"

    @Test func `nothing but our own colours gets through to a terminal`() {
        let output = Output(capturedColumns: 80, usesColour: true)
        output.print(Style.good("fine", true) + " " + Self.evil)
        output.complain(Self.evil)
        let red =
            "\u{1B}[32mfine\u{1B}[0m a\u{FFFD}[2J\u{FFFD}]0;x\u{FFFD}\u{FFFD}b\u{FFFD}c\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}31m\u{FFFD}\n"
        #expect(output.printed == red)
        #expect(!output.complained.unicodeScalars.contains("\u{1B}"))
    }

    @Test func `lines and letters stay as they are`() {
        let output = Output(capturedColumns: 80)
        output.print("Grüße\n  東京 👩‍👩‍👧\n\nשלום")
        #expect(output.printed == "Grüße\n  東京 👩‍👩‍👧\n\nשלום\n")
    }

    @Test func `lines that are drawn in place are cleaned too`() {
        let output = Output(capturedColumns: 80)
        LiveArea(output).show(["a\u{1B}[2Jb", Style.strong("c", true)])
        #expect(output.printed == "a\u{FFFD}[2Jb\n\u{1B}[1mc\u{1B}[0m\n")
    }

    @Test(arguments: [
        evil, "plain", "Grüße", "👩‍👩‍👧", "Z" + String(repeating: "\u{30D}", count: 30), "\u{10FFFF}\u{FFFE}", "\"\\/\n",
    ])
    func `JSON says exactly what it was, in what a terminal may get`(text: String) throws {
        let json = try JSONText.of([text])
        #expect(
            json.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 && !(0x80...0x9F).contains($0.value) }
        )
        #expect(try JSONDecoder().decode([String].self, from: Data(json.utf8)) == [text])
        let output = Output(capturedColumns: 80)
        output.print(json)
        #expect(output.printed == json + "\n")
    }
}
