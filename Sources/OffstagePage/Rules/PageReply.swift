// SPDX-License-Identifier: Apache-2.0

/// An answer.
package struct PageReply: Sendable {
    package enum Body: Sendable {
        case bytes([UInt8])
        /// One of the page's own files, which exist as long as the program.
        case file(PageFile)
        /// Updates, as they happen.
        case news
    }

    package var status: UInt32
    package var type: String
    package var body: Body
    package var cookies: [String]

    package init(status: UInt32 = 200, type: String, body: Body, cookies: [String] = []) {
        self.status = status
        self.type = type
        self.body = body
        self.cookies = cookies
    }

    /// The header fields, in order. The answer to the link, which alone sets cookies, clears earlier data.
    package var headers: [(name: String, value: String)] {
        var all = PageHeaders.all(type: type)
        if !cookies.isEmpty { all.append(PageHeaders.forgetting) }
        for cookie in cookies { all.append(("Set-Cookie", cookie)) }
        return all
    }

    package init(_ refusal: PageRefusal) {
        self.init(
            status: refusal.status,
            type: "text/plain; charset=utf-8",
            body: .bytes(Array("\(refusal.sentence)\n".utf8))
        )
    }

    /// The answer to the link. It is not a redirect, since a browser coming from another site would not send a strict
    /// cookie with the request that follows.
    package static func entrance(cookies: [String]) -> PageReply {
        let text = """
            <!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=/">
            <title>Offstage</title><p><a href="/">Offstage</a></p></html>

            """
        return PageReply(type: "text/html; charset=utf-8", body: .bytes(Array(text.utf8)), cookies: cookies)
    }
}
