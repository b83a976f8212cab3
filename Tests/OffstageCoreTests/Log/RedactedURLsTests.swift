// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct RedactedURLsTests {
    private static let texts: [(String, String)] = [
        ("", ""), ("no URL: here", "no URL: here"), ("a:b@c /d?e", "a:b@c /d?e"),
        ("http://h/p", "http://h/p"), ("at http://h/p?k=v and on", "at http://h/p?… and on"),
        ("'ftp://u:p@h/'", "'ftp://h/'"), ("(https://h/?k)", "(https://h/?…"),
        ("two: http://h/?a http://u@i/", "two: http://h/?… http://i/"),
        ("http://u:p@h\thttps://h/#f", "http://h\thttps://h/"),
        // A combining mark after the space is part of the same character.
        ("http://h/?a \u{301}b", "http://h/?… \u{301}b"), ("://u:p@h", "://h"),
    ]

    @Test(arguments: texts) func `URLs within a text lose their secrets`(text: String, redacted: String) {
        #expect(text.redactedURLs == redacted)
    }
}
