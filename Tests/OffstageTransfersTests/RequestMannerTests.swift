// SPDX-License-Identifier: Apache-2.0
import OffstageTransfers
import Testing

struct RequestMannerTests {
    private static func next(
        _ manner: RequestManner,
        code: Int = 0,
        status: Int = 200,
        isUpload: Bool = false,
        isRepeatable: Bool = true
    ) -> RequestManner.Version? {
        manner.versionAfter(code: code, status: status, isUpload: isUpload, isRepeatable: isRepeatable)
    }

    private static func after(_ version: RequestManner.Version) -> RequestManner {
        var manner = RequestManner()
        manner.use(version)
        return manner
    }

    @Test func `a body whose end would prove nothing is fetched over HTTP/1.1, once`() {
        var manner = RequestManner()
        #expect(Self.next(manner) == nil)
        manner.missMark()
        #expect(Self.next(manner, code: 23) == .oneOne)
        manner.use(.oneOne)
        #expect(!manner.lacksMark)
        #expect(Self.next(manner) == nil)
    }

    @Test(arguments: [(35, 0), (1, 0), (8, 0), (0, 400), (0, 403), (0, 421), (0, 426), (0, 505)])
    func `a server that has nothing but HTTP/2 is asked again, and its end counts`(code: Int, status: Int) {
        #expect(Self.next(Self.after(.oneOne), code: code, status: status) == .anyAfterAll)
        #expect(Self.next(Self.after(.oneOne), code: code, status: status, isRepeatable: false) == nil)
        #expect(Self.next(Self.after(.anyAfterAll), code: code, status: status) == nil, "not for ever")
        #expect(Self.next(RequestManner(), code: code, status: status) == nil)
    }

    @Test(arguments: [(0, 200), (0, 404), (0, 429), (0, 503), (7, 0), (28, 0), (56, 0), (1, 302)])
    func `what says nothing of the version counts`(code: Int, status: Int) {
        #expect(Self.next(Self.after(.oneOne), code: code, status: status) == nil)
    }

    @Test func `an upload that is refused is not sent once more`() {
        #expect(Self.next(Self.after(.oneOne), status: 403, isUpload: true) == nil)
        #expect(Self.next(Self.after(.oneOne), code: 35, status: 0, isUpload: true) == .anyAfterAll)
    }

    @Test(arguments: [(16, true), (92, true), (52, true), (55, false), (56, false), (28, false), (0, false)])
    func `a stream that breaks before its answer is avoided the next time`(code: Int, isAvoided: Bool) {
        #expect(RequestManner().avoidsStreams(after: code, isAnswered: false) == isAvoided)
        #expect(Self.after(.anyAfterAll).avoidsStreams(after: code, isAnswered: false) == isAvoided)
        #expect(!RequestManner().avoidsStreams(after: code, isAnswered: true))
        #expect(!Self.after(.oneOne).avoidsStreams(after: code, isAnswered: false))
    }
}
