// SPDX-License-Identifier: Apache-2.0
import OffstagePage
import Testing

@Suite struct PageHeadersTests {
    private static func text(_ path: String) -> String {
        String(decoding: PageFile.at(path)?.bytes ?? UnsafeRawBufferPointer(start: nil, count: 0), as: UTF8.self)
    }

    @Test func `every answer forbids what the page does not need`() {
        let fields = Dictionary(uniqueKeysWithValues: PageHeaders.all(type: "text/plain").map { ($0.name, $0.value) })
        #expect(fields["X-Content-Type-Options"] == "nosniff")
        #expect(fields["Referrer-Policy"] == "no-referrer")
        #expect(fields["Cache-Control"] == "no-store")
        #expect(fields["X-Frame-Options"] == "DENY")
        let policy = fields["Content-Security-Policy"] ?? ""
        #expect(policy.hasPrefix("default-src 'none'; "))
        for part in [
            "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'", "script-src 'self'", "worker-src 'none'",
        ] {
            #expect(policy.contains(part))
        }
        #expect(
            !policy.contains("unsafe") && !policy.contains("http") && !policy.contains("*") && !policy.contains("data:")
        )
    }

    @Test func `the link has the browser forget what others have left at the place, and nothing else does`() {
        let entrance = PageReply.entrance(cookies: ["a=1", "b=2"]).headers
        #expect(entrance.filter { $0.name == "Clear-Site-Data" }.map { $0.value } == ["\"storage\""])
        #expect(entrance.filter { $0.name == "Set-Cookie" }.map { $0.value } == ["a=1", "b=2"])
        for other in [PageReply(.link), PageReply(type: "text/plain", body: .news)] {
            #expect(!other.headers.contains { $0.name == "Clear-Site-Data" || $0.name == "Set-Cookie" })
            #expect(other.headers.contains { $0.name == "Content-Security-Policy" })
        }
    }

    @Test func `the page's files are in the program, under the names that they ask for each other by`() {
        #expect(PageFile.at("/")?.type == "text/html; charset=utf-8")
        #expect(PageFile.at("/nothing.js") == nil)
        let page = Self.text("/")
        for match in page.matches(of: #/(?:href|src)="(\/[^"#]+)"/#) {
            #expect(PageFile.at(String(match.1)) != nil, "\(match.1) is not there")
        }
        for file in PageFile.all where file.path.hasSuffix(".js") {
            #expect(page.contains("\"\(file.path)\""), "\(file.path) is loaded late")
            for match in Self.text(file.path).matches(of: #/from '\.(\/[a-z]+\.js)'/#) {
                #expect(PageFile.at(String(match.1)) != nil, "\(file.path) imports \(match.1)")
            }
        }
    }

    @Test func `no file asks anybody else, holds script or style in markup, or reads markup`() {
        for file in PageFile.all {
            let text = Self.text(file.path).replacing("http://www.w3.org/2000/svg", with: "")
            #expect(!text.contains("http://") && !text.contains("https://"), "\(file.path)")
            for word in [
                "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function",
                "javascript:", "style=\"",
            ] {
                #expect(!text.contains(word), "\(file.path) has \(word)")
            }
        }
        #expect(!Self.text("/").contains(#/<script(?![^>]*\bsrc=)/#))
        #expect(!Self.text("/").contains("<style"))
    }

    @Test func `each word is there in both languages`() {
        let words = Self.text("/words.js")
        let pairs = words.matches(of: #/'([a-zA-Z.]+)': \['((?:[^'\\]|\\.)*)', '((?:[^'\\]|\\.)*)'\]/#)
        #expect(pairs.count > 200)
        let keys = pairs.map { String($0.1) }
        #expect(Set(keys).count == keys.count)
        for pair in pairs {
            #expect(!pair.3.isEmpty, "\(pair.1) is not there in Korean")
            // The English text of reasons and advice comes from the daemon.
            let isDaemons = ["hold.", "failure.", "advice."].contains { pair.1.hasPrefix($0) }
            #expect(isDaemons || !pair.2.isEmpty, "\(pair.1) is not there in English")
        }
        for file in PageFile.all where file.path.hasSuffix(".js") {
            for match in Self.text(file.path).matches(of: #/\bt\('([a-zA-Z.]+)'/#) {
                #expect(keys.contains(String(match.1)), "\(file.path) says \(match.1)")
            }
        }
    }
}
