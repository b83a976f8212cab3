// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import OffstageTransfers
import Testing

/// Cookies that a redirect sets, and the requests that carry them.
struct RedirectCookieTests {
    let harness: EngineHarness
    let server: FaultServer
    let file = FaultFile(random: 1000, seed: 1)

    init() throws {
        harness = try EngineHarness()
        server = try FaultServer()
        server.script("/there", .file(file))
    }

    /// Follows a session's download through a redirect that sets a cookie, and returns the final request.
    private func follow(
        to location: String = "/there",
        cookie: String = "ticket=7",
        _ change: (inout TransferSpec) -> Void = { _ in }
    ) throws -> RecordedRequest {
        let fields = [HeaderField(name: "Location", value: location), HeaderField(name: "Set-Cookie", value: cookie)]
        server.script("/here", .status(302, fields))
        let before = server.requests("/there").count
        let run = try harness.download(server.url("/here")) {
            $0.spec.sessionTask = SessionTaskKey(session: "one", task: 1)
            change(&$0.spec)
        }
        #expect(try run.end().answer?.status == 200)
        let requests = server.requests("/there")
        return try #require(requests.count > before ? requests.last : nil)
    }

    @Test func `a redirect's cookie goes with the request that follows it`() throws {
        #expect(try follow().headers["Cookie"] == "ticket=7")
    }

    @Test func `it goes in one field with those that the app has`() throws {
        let request = try follow { $0.headers = [HeaderField(name: "Cookie", value: "session=1; b=2")] }
        #expect(request.headers.filter { $0.name == "Cookie" }.map(\.value) == ["ticket=7; session=1; b=2"])
        #expect(server.requests("/here").last?.headers["Cookie"] == "session=1; b=2")
    }

    @Test(arguments: ["ticket=7; Path=/elsewhere", "ticket=7; Domain=example.com", "ticket=7; Secure; Max-Age=0"])
    func `it goes nowhere that it does not belong`(cookie: String) throws {
        #expect(try follow(cookie: cookie).headers["Cookie"] == nil)
    }

    @Test func `neither it nor the app's own go to another host`() throws {
        let elsewhere = server.url("/there").replacing("127.0.0.1", with: "localhost")
        let request = try follow(to: elsewhere) { $0.headers = [HeaderField(name: "Cookie", value: "session=1")] }
        #expect(request.headers["Cookie"] == nil)
    }

    @Test func `a session that handles no cookies has none, and neither has the command`() throws {
        #expect(try follow { $0.refusesCookies = true }.headers["Cookie"] == nil)
        #expect(try follow { $0.sessionTask = nil }.headers["Cookie"] == nil)
    }

    @Test func `the next transfer knows nothing of it`() throws {
        for number in 1...4 {
            #expect(try follow(cookie: "ticket=\(number); Path=/").headers["Cookie"] == "ticket=\(number)")
            #expect(server.requests("/here").last?.headers["Cookie"] == nil)
            #expect(try follow { $0.sessionTask = nil }.headers["Cookie"] == nil)
        }
    }

    @Test func `one that the server sets anew goes out once`() throws {
        let request = try follow { $0.headers = [HeaderField(name: "Cookie", value: "ticket=old; b=2")] }
        #expect(request.headers["Cookie"] == "ticket=7; b=2")
    }
}
