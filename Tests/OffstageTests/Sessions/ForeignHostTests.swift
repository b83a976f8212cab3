// SPDX-License-Identifier: Apache-2.0
import Offstage
import OffstageCore
import Testing

@Suite struct ForeignHostTests {
    @Test(arguments: ["https://한국.example/x", "https://xn--3e0b707e.example/x"])
    func `an app's URL names the host as name servers know it`(text: String) throws {
        let url = try #require(URL(string: text))
        let sent = try RequestURL(url.absoluteString)
        #expect(sent.unredacted == "https://xn--3e0b707e.example/x")
        #expect(sent.host == "xn--3e0b707e.example" && sent.hostKey == "xn--3e0b707e.example:443")
    }
}
