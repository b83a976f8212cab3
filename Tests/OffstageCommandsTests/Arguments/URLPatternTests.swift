// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import Testing

/// URLs that expand to several, as in curl.
@Suite struct URLPatternTests {
    @Test(arguments: [
        ("http://h/f", ["http://h/f"]), ("http://h/{a,b}", ["http://h/a", "http://h/b"]),
        ("http://h/{a}", ["http://h/a"]), ("http://h/{a,}", ["http://h/a", "http://h/"]),
        ("h/[1-3]", ["h/1", "h/2", "h/3"]), ("h/[08-11:2]", ["h/08", "h/10"]), ("h/[007-008]", ["h/007", "h/008"]),
        ("h/[a-e:2].x", ["h/a.x", "h/c.x", "h/e.x"]), ("[1-2]{a,b}", ["1a", "1b", "2a", "2b"]),
        ("http://[::1]/x", ["http://[::1]/x"]), ("http://[fe80::1-2]/[1-1]", ["http://[fe80::1-2]/1"]),
        ("h/?a[]=1&b[0]=2", ["h/?a[]=1&b[0]=2"]), ("h/{", ["h/{"]), ("h/{}", ["h/{}"]), ("h/[3-1]", ["h/[3-1]"]),
        ("h/[1-3:0]", ["h/[1-3:0]"]), ("h/\\{a,b\\}", ["h/{a,b}"]), ("h/[1-9999999999]", ["h/[1-9999999999]"]),
        ("", [""]), ("-", ["-"]),
    ])
    func `a pattern stands for these`(text: String, urls: [String]) throws {
        #expect(try URLPattern(text).all.map(\.url) == urls)
    }

    @Test func `names have what the brackets are`() throws {
        let made = try URLPattern.expanded(["h/{a,b}/[1-2]", "c"], ["#2-#1-#3#", "d"], isOff: false)
        #expect(made.urls == ["h/a/1", "h/a/2", "h/b/1", "h/b/2", "c"])
        #expect(made.names == ["1-a-#3#", "2-a-#3#", "1-b-#3#", "2-b-#3#", "d"])
        let off = try URLPattern.expanded(["{a,b}"], ["x"], isOff: true)
        #expect(off.urls == ["{a,b}"] && off.names == ["x"])
        #expect(throws: UsageError.self) { try URLPattern.expanded(["{a,b}"], ["x"], isOff: false) }
        #expect(throws: UsageError.self) { try URLPattern("[0-999][0-999]") }
    }
}
