// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCommands
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

/// Printed text, whatever its origin.
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

    @Test(arguments: [
        (0, "a-long-name-of-a-file.iso ← files.example:8443 (waiting for network: there is no route to the host)"),
        (110, "  a-long-name-of-a-file.iso (waiting for network: there is no route to the host)"),
        (100, "1.00 MiB  a-long-name-of-a-f… (waiting for network: there is no route to the host)"),
        (80, "queued  a-long-name-of… (waiting for network: there is no route to the host)"),
    ])
    func `where there is little room, the reason is what stays`(width: Int, text: String) throws {
        let row = try Samples.row(
            7,
            .network(.noRoute),
            url: "https://files.example:8443/in/a-long-name-of-a-file.iso",
            path: "/home/me/a-long-name-of-a-file.iso"
        )
        let line = TransferTable.table([row], now: noon).lines(width: width, usesColour: false)[1]
        #expect(line.hasSuffix(text), "\(line)")
        #expect(width == 0 || DisplayWidth.of(line) <= width)
    }

    static let refused = TransferFailure(.cannotConnect, "cannot connect to 127.0.0.1:8018: Connection refused")

    /// Rows on a terminal of 80 columns: the least important text is cut, and no room is left empty.
    @Test(
        arguments: [
            (
                Reason.Cause.retry(refused, attempts: 2), nil,
                "1.00 MiB  Linux_distri… (connection refused, next try in 8s)"
            ),
            (
                .retry(TransferFailure(.cannotFindHost, "no address is known for the host of h:80"), attempts: 1), nil,
                "1.00 MiB  Linux_distributi… (host not found, next try in 8s)"
            ),
            (
                .retry(
                    TransferFailure(.connectionLost, "the connection to h:80 broke before the answer arrived"),
                    attempts: 1
                ),
                nil, "1.00 MiB  Linux_distribu… (connection broke, next try in 8s)"
            ),
            (.running, 8725, "1.00 MiB  Linux_distribution-12.1.i… (8.52 KiB/s, 2:00 left)"),
        ] as [(Reason.Cause, Double?, String)]
    )
    func `a row of 80 columns says the cause first and as much of the name as fits`(
        cause: Reason.Cause,
        rate: Double?,
        end: String
    ) throws {
        let row = try Samples.row(
            193,
            cause,
            url: "http://127.0.0.1:8018/Linux_distribution-12.1.iso",
            path: "/home/me/Linux_distribution-12.1.iso",
            rate: rate ?? 0,
            nextLook: rate == nil ? noon.addingTimeInterval(8) : nil
        )
        for line in [TransferTable.table([row], now: noon).lines(width: 80, usesColour: false)[1]] {
            #expect(line.hasSuffix("  " + end), "\(line)")
            #expect(DisplayWidth.of(line) <= 80)
        }
    }

    @Test func `lines are broken between words and keep their indentation`() {
        #expect(DisplayWidth.wrapped("    one two three", to: 11) == ["    one two", "    three"])
        #expect(DisplayWidth.wrapped("one two", to: 0) == ["one two"])
        #expect(DisplayWidth.wrapped("a-very-long-word b", to: 8) == ["a-very-long-word", "b"])
        #expect(DisplayWidth.wrapped("", to: 8) == [""])
    }

    @Test func `what runs says how long it will take`() throws {
        let row = try Samples.row(7, .running, done: 524_288, rate: 10_000)
        let line = TransferTable.table([row], now: noon).lines(width: 0, usesColour: false)[1]
        #expect(line.hasSuffix("big.iso ← files.example (9.77 KiB/s, 52s left)"), "\(line)")
    }
}
