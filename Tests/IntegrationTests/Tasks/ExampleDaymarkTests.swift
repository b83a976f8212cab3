// SPDX-License-Identifier: Apache-2.0
import OffstageTestSupport
import Testing

/// An app that schedules deferred work, over days of the daemon's clock; the events that it sends are counted.
@Suite(.serialized, .enabled(if: ExampleProgram.isBuilt("Daymark"), "\(ExampleProgram.reason)"))
struct `An app that asks for its work later` {
    /// Seconds between its refreshes; tidying comes after four times as many. No day or week is a multiple of it, so
    /// that the seconds taken by the runs themselves do not affect the counts.
    private static let interval = 3000
    /// For a week, so that its runs do not take minutes.
    private static let longInterval = 9000
    private static let day = 86_400

    @Test func `a week gives each piece of work its runs, and none twice`() throws {
        let mark = try Daymark()
        let process = try mark.launchAndLeave(interval: Self.longInterval)
        #expect(mark.app.texts == ["launched", "active", "in-background", "submitted refresh", "submitted tidy"])
        try mark.advance(7 * Self.day)
        try mark.expectEvents(
            refresh: 7 * Self.day / Self.longInterval,
            tidy: 7 * Self.day / (4 * Self.longInterval)
        )
        try mark.app.waitUntilSuspended(process.processID)
        #expect(mark.app.texts.count { $0.hasPrefix("launched") } == 1, "one process did it all")
        #expect(mark.app.texts.count { $0.hasPrefix("time-is-up") || $0.hasPrefix("not-") } == 0)
        #expect(try mark.pending() == ["com.example.Daymark.refresh", "com.example.Daymark.tidy"])
    }

    @Test func `an app that does not run is launched for each, in background`() throws {
        let mark = try Daymark()
        try mark.launchAndLeave(interval: Self.interval)
        try mark.app.person("terminate")
        #expect(mark.app.state == "terminated")
        try mark.advance(Self.interval + 60)
        try mark.expectEvents(refresh: 1, tidy: 0)
        let launched = try #require(mark.app.texts.firstIndex(of: "launched-in-background"))
        // The upload's end may come before the handler's.
        let lines = mark.app.texts[launched...].filter { !$0.hasPrefix("sent ") }
        #expect(
            lines.prefix(4) == [
                "launched-in-background", "entered refresh", "submitted refresh", "done refresh",
            ]
        )
        let next = try mark.app.process()
        try mark.app.waitUntilSuspended(next.processID)
        #expect(try mark.app.story("launching", count: 1).map(\.cause.string) == ["task"], "\(mark.app.tale)")
    }

    @Test func `the daemon's death loses no request`() throws {
        let mark = try Daymark()
        try mark.launchAndLeave(interval: Self.interval)
        try mark.advance(Self.day)
        try mark.expectEvents(refresh: 28, tidy: 7)
        try mark.daemon.killDaemon()
        try mark.daemon.startOnDemand()
        #expect(try mark.pending() == ["com.example.Daymark.refresh", "com.example.Daymark.tidy"])
    }

    @Test func `a quit app is left alone until a person opens it`() throws {
        let mark = try Daymark()
        try mark.launchAndLeave(interval: Self.interval)
        try mark.app.person("quit")
        try mark.advance(Self.day)
        #expect(mark.server.requests.isEmpty)
        #expect(mark.app.texts.contains("launched-in-background") == false)
        try mark.expectReason("refresh", "a person quit its app")
        try mark.launchAndLeave(interval: Self.interval)
        // Both have long been due.
        try mark.expectEvents(refresh: 1, tidy: 1)
    }

    @Test func `work that is due waits for each condition in turn, and says for which`() throws {
        let mark = try Daymark()
        try mark.launchAndLeave(interval: Self.interval)
        try mark.expectReason("refresh", "waiting for its begin date")
        try mark.expectReason("tidy", "waiting for its begin date")
        try mark.condition("set", "network=none", "load=busy", "power=battery", "battery=10%")
        try mark.advance(4 * Self.interval + 60)
        #expect(mark.server.requests.isEmpty, "the battery is low")
        try mark.expectReason("refresh", "battery at 10 %, below 20 % and not charging")
        try mark.expectReason("tidy", "waiting for a network")
        try mark.condition("set", "network=metered")
        try mark.expectReason("tidy", "battery at 10 %, below 20 % and not charging")
        try mark.condition("set", "battery=80%")
        try mark.expectEvents(refresh: 1, tidy: 0)
        try mark.expectReason("refresh", "waiting for its begin date")
        try mark.expectReason("tidy", "waiting until the machine is idle")
        try mark.condition("set", "load=idle")
        try mark.expectEvents(refresh: 1, tidy: 1)
        try mark.expectReason("tidy", "waiting for its begin date")
    }

    @Test func `in the strict profile the second refresh request of an article is refused, and shown`() throws {
        let mark = try Daymark(strict: true)
        try mark.launchAndLeave(interval: Self.interval, shape: "articles")
        #expect(mark.app.texts == ["launched", "active", "in-background"], "the app has noticed nothing")
        #expect(try mark.pending() == ["com.example.Daymark.refresh"])
        let list = try mark.daemon.run("tasks")
        #expect(list.output.contains("com.example.Daymark.tidy") && list.output.contains("try?"), "\(list)")
        try mark.advance(Self.day)
        try mark.expectEvents(refresh: 28, tidy: 0)
    }

    @Test func `with the limits that are usual here the same code gets both`() throws {
        let mark = try Daymark()
        try mark.launchAndLeave(interval: Self.interval, shape: "articles")
        try mark.advance(Self.day)
        try mark.expectEvents(refresh: 28, tidy: 28)
    }
}
