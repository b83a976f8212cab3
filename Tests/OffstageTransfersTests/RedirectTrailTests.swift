// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTransfers
import Testing

struct RedirectTrailTests {
    private static let own = [
        HeaderField(name: "Cookie", value: "a=1; b=2"), HeaderField(name: "Accept", value: "c=3"),
        HeaderField(name: "cookie", value: "d=4"),
    ]

    private static func cookies(_ trail: RedirectTrail) -> [String] { trail.ownCookies(in: own).map(String.init) }

    @Test(arguments: [
        ([], ["a=1", "b=2", "d=4"]),
        (["a=9; Path=/"], ["b=2", "d=4"]),
        ([" b =9"], ["a=1", "d=4"]),
        (["d", "a=; Secure"], ["b=2"]),
        (["A=9", "other=1"], ["a=1", "b=2", "d=4"]),
    ])
    func `a cookie that a redirect sets anew is the server's`(set: [String], left: [String]) {
        var trail = RedirectTrail()
        trail.renewCookies(from: set.map { HeaderField(name: "set-cookie", value: $0) })
        trail.renewCookies(from: [HeaderField(name: "X-Set-Cookie", value: "a=9")])
        #expect(Self.cookies(trail) == left)
    }

    @Test func `another origin is sent no cookies`() {
        var trail = RedirectTrail()
        trail.leaveOrigin()
        #expect(trail.hasLeftOrigin)
        #expect(Self.cookies(trail) == [])
    }

    @Test func `what had been sent counts from the redirect on that had a body`() {
        var trail = RedirectTrail()
        #expect(!trail.isFetchingAnswer && trail.sentBeforeGet == nil)
        trail.fetchAnswer(sent: 5)
        trail.fetchAnswer(sent: nil)
        #expect(trail.isFetchingAnswer && trail.sentBeforeGet == 5)
    }
}
