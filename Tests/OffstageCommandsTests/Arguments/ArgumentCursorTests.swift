// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import Testing

@Suite struct ArgumentCursorTests {
    @Test(arguments: [
        (["download", "-H", "X: ?", "u"], 2, "'X: ?', the value of -H, is not UTF-8: write it in UTF-8."),
        (["download", "-HX: ?", "u"], 1, "'X: ?', the value of -H, is not UTF-8"),
        (["upload", "--label=x?", "f", "u"], 1, "'x?', the value of --label, is not UTF-8"),
        (["list", "--text", "?"], 2, "'?', the value of --text, is not UTF-8"),
        (["li?"], 0, "'li?' is not UTF-8: write it in UTF-8."),
        (
            ["download", "https://me:word@h/?x"], 1,
            "the URL 'https://h/?…' is not UTF-8: write its non-ASCII bytes as %XX."
        ),
        (["download", "-o", "?", "u"], 2, "'?' is not UTF-8, which file names must be: rename it."),
        (["upload", "f?", "http://h/"], 1, "'f?' is not UTF-8, which file names must be: rename it."),
        (["upload", "f", "http://h/f?x"], 2, "the URL 'http://h/f?…' is not UTF-8"),
    ])
    func `a word that is not UTF-8 is called what it is`(words: [String], index: Int, sentence: String) {
        let said = ForeignBytes.sentence(index, of: words)
        #expect(said.hasPrefix(sentence) && said.hasSuffix(" Nothing was done."), "\(said)")
    }

    private let table = [
        CommandOption("--request", "-X", value: "METHOD", help: ""),
        CommandOption("--header", "-H", value: "LINE", help: ""),
        CommandOption("--quiet", "-q", help: ""),
        CommandOption("--force", "-f", help: ""),
    ]

    @Test func `options and operands come in any order`() throws {
        var cursor = try ArgumentCursor(["a", "-X", "POST", "b", "--quiet"], options: table)
        #expect(cursor.takeValue("--request") == "POST")
        #expect(cursor.takeFlag("--quiet") == true)
        #expect(cursor.takeFlag("--force") == false)
        #expect(cursor.takeOperands() == ["a", "b"])
    }

    @Test(arguments: [
        ["-X", "POST"], ["-XPOST"], ["--request", "POST"], ["--request=POST"], ["-qX", "POST"], ["-qXPOST"],
    ])
    func `a value may be written in every way that getopt knows`(words: [String]) throws {
        var cursor = try ArgumentCursor(words, options: table)
        #expect(cursor.takeValue("--request") == "POST")
    }

    @Test func `the last value counts, and repeated ones are all there in order`() throws {
        var cursor = try ArgumentCursor(["-X", "PUT", "-X", "POST", "-H", "a: 1", "-H", "b: 2"], options: table)
        #expect(cursor.takeValue("--request") == "POST")
        #expect(cursor.takeValues("--header") == ["a: 1", "b: 2"])
    }

    @Test func `two dashes end the options, and a lone dash is an operand`() throws {
        var cursor = try ArgumentCursor(["-", "--", "-X", "--quiet"], options: table)
        #expect(cursor.takeOperands() == ["-", "-X", "--quiet"])
        #expect(cursor.takeFlag("--quiet") == false)
    }

    @Test func `a value may begin with a dash and be empty`() throws {
        var cursor = try ArgumentCursor(["-X", "-q", "--header="], options: table)
        #expect(cursor.takeValue("--request") == "-q")
        #expect(cursor.takeValues("--header") == [""])
    }

    @Test(arguments: [
        (["--nope"], "there is no option --nope"),
        (["-z"], "there is no option -z"),
        (["--reqest", "x"], "there is no option --reqest; did you mean --request?"),
        (["-X"], "-X needs a value: -X METHOD"),
        (["--request"], "--request needs a value: --request METHOD"),
        (["--quiet=yes"], "--quiet takes no value"),
    ])
    func `a mistake is named`(words: [String], message: String) {
        #expect(throws: UsageError(message)) { try ArgumentCursor(words, options: table) }
    }

    @Test func `operands that nobody wants are refused`() throws {
        var cursor = try ArgumentCursor(["left"], options: table)
        #expect(throws: UsageError("'left' is unexpected here")) { try cursor.expectNoOperands() }
    }

    @Test func `help is seen before two dashes only`() {
        #expect(ArgumentCursor.asksForHelp(["a", "-h"]))
        #expect(ArgumentCursor.asksForHelp(["--help"]))
        #expect(!ArgumentCursor.asksForHelp(["--", "--help"]))
    }
}
