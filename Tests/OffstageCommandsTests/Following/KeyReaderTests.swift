// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import OffstageTestSupport
import Testing

@Suite struct KeyReaderTests {
    private func keys(_ texts: String...) -> [Key] {
        var reader = KeyReader()
        return texts.flatMap { reader.parse(Array($0.utf8)) }
    }

    @Test(
        arguments: [
            ("\u{1B}[A", .up), ("\u{1B}OA", .up), ("\u{1B}[B", .down), ("\u{1B}OB", .down), ("\u{1B}[5~", .pageUp),
            ("\u{1B}[6~", .pageDown), ("\u{1B}[H", .home), ("\u{1B}OH", .home), ("\u{1B}[1~", .home),
            ("\u{1B}[7~", .home), ("\u{1B}[F", .end), ("\u{1B}OF", .end), ("\u{1B}[4~", .end), ("\u{1B}[8~", .end),
            ("\u{1B}[1;2A", .up), ("\u{1B}[6;5~", .pageDown), ("q", .character(113)), ("\u{1B}", .character(27)),
        ] as [(String, Key)]
    )
    func `a key is known by its bytes`(text: String, key: Key) {
        #expect(keys(text) == [key])
        // Several keys at once, and in pieces, except after the first byte, which is a key by itself.
        #expect(keys(text + "x") == [key, .character(120)])
        if text.utf8.count > 2 { #expect(keys(String(text.prefix(2)), String(text.dropFirst(2)), "x").first == key) }
    }

    @Test func `what is no key is passed over, and ends`() {
        #expect(keys("\u{1B}[12~", "\u{1B}[Z", "j") == [.character(106)])
        #expect(keys("\u{1B}x") == [.character(27), .character(120)])
        #expect(keys("\u{1B}\u{1B}[A") == [.character(27), .up])
        #expect(keys("\u{1B}[" + String(repeating: "1", count: 14), "j") == [.character(106)])
        var reader = KeyReader()
        var random = SeededGenerator(seed: 3)
        let likely: [UInt8] = [27, 91, 79, 53, 126, 65, 0, 255]
        for _ in 0..<2000 { _ = reader.parse((0..<5).map { _ in likely.randomElement(using: &random) ?? 0 }) }
        #expect(reader.parse(Array(repeating: 65, count: 20)).contains(.character(65)))
    }

    private func press(_ key: Key, _ scroll: inout ScrollPosition) -> Bool { scroll.move(key) }

    @Test(
        arguments: [
            (100, 10, [.down], 1), (100, 10, [.up], 0), (100, 10, [.pageDown, .pageDown], 20), (100, 10, [.end], 90),
            (100, 10, [.end, .down], 90), (100, 10, [.end, .pageUp], 80), (100, 10, [.end, .home], 0),
            (100, 10, [.character(106), .character(106), .character(107)], 1), (5, 10, [.end, .down, .pageDown], 0),
            (0, 0, [.end, .down, .up], 0), (-3, -3, [.pageDown], 0), (15, 10, [.pageDown], 5),
        ] as [(Int, Int, [Key], Int)]
    )
    func `keys move within the table`(rows: Int, room: Int, keys: [Key], first: Int) {
        var scroll = ScrollPosition()
        _ = scroll.fit(rows: rows, room: room)
        for key in keys { #expect(press(key, &scroll)) }
        #expect(scroll.first == first)
        #expect(!press(.character(120), &scroll))
        let one = scroll.fit(rows: 1, room: room)
        #expect(one == 0..<1)
    }
}
