// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct URLEncodedFormTests {
    @Test func `everything but unreserved characters is encoded`() {
        let text = URLEncodedForm.encode([("a b", "x&y=z+1/ä"), ("-._~", "-._~09AZaz"), ("empty", "")])
        #expect(text == "a%20b=x%26y%3Dz%2B1%2F%C3%A4&-._~=-._~09AZaz&empty=")
    }

    @Test func `what was encoded is decoded, whatever it is`() {
        for value in ["", "a", "ä€😀", "a+b c%20&=?#\r\n\u{0}", String(repeating: "é", count: 1000)] {
            #expect(URLEncodedForm.decode(URLEncodedForm.encode([("n", value)])) == ["n": value])
        }
    }

    @Test func `a plus is a space, and of two the first counts`() {
        #expect(URLEncodedForm.decode("a=1+2&a=3&b&&=x&c=1=2") == ["a": "1 2", "b": "", "": "x", "c": "1=2"])
    }

    @Test(arguments: ["%", "%4", "%zz", "%4g", "100%"])
    func `what is no escape stays as it is`(text: String) {
        #expect(URLEncodedForm.decode("a=\(text)") == ["a": text])
    }
}
