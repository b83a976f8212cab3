// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import Testing

@Suite struct MdocTextTests {
    @Test(arguments: [
        ("A sentence. Another one? Yes!", ["A sentence.", "Another one?", "Yes!"]),
        (".hidden is a file", [#"\&.hidden is a file"#]),
        ("'offstage list' shows the app's files", [#"\(aqoffstage list\(aq shows the app's files"#]),
        (#"a \ stays"#, [#"a \e stays"#]),
        ("from 1–3 to FILE…", [#"from 1\(en3 to FILE..."#]),
        ("§ 3", [#"\[u00A7] 3"#]), ("… is more", [#"\&... is more"#]),
        ("`a b` is code, and `--json`. So.", [#"\fBa b\fP is code, and \fB\-\-json\fP."#, "So."]),
        ("see [Timing](timing.md#a) and [x]", ["see Timing and [x]"]),
        ("use --on-done or well-known names", [#"use \-\-on\-done or well-known names"#]),
        ("~ and ^", [#"\(ti and \(ha"#]),
        ("(It ends.) Now.", ["(It ends.)", "Now."]),
        ("", []),
    ])
    func `prose is written so that it is read as it was`(text: String, lines: [String]) {
        #expect(MdocText.prose(text) == lines)
    }

    @Test func `arguments are in italics, and options in bold where they are wanted so`() {
        let lines = MdocText.prose("[-F NAME] FILE… URLS", arguments: ["NAME", "FILE", "URL"], boldsOptions: true)
        #expect(lines == [#"[\fB\-F\fP \fINAME\fP] \fIFILE\fP... URLS"#])
    }

    @Test func `no line is longer than 80 bytes, if it has spaces`() {
        let lines = MdocText.prose(String(repeating: "words and – signs ", count: 40))
        #expect(lines.count > 5)
        for line in lines { #expect(line.utf8.count <= 80) }
    }

    @Test(arguments: [
        ("plain", "plain"), ("two words", #""two words""#), (#"a "b" c"#, #""a \(dqb\(dq c""#), ("", #""""#),
        ("No", #"\&No"#), (".", #"\&."#), ("-request", "-request"), ("X", "X"), ("7", "7"),
    ])
    func `an argument of a macro is no macro and no delimiter`(text: String, written: String) {
        #expect(MdocText.argument(text) == written)
    }

    @Test func `a command stays as it is`() {
        let written = MdocText.literal("./offstage upload --dry-run 'a b' *")
        #expect(written == #"\&./offstage upload \-\-dry\-run \(aqa b\(aq *"#)
    }
}
