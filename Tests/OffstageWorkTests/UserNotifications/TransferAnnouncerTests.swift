// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTestSupport
import OffstageWork
import Testing

/// Notifications about transfers: only a few, however many transfers there are.
@Suite struct TransferAnnouncerTests {
    private let stage: WorkStage

    init() throws { stage = try WorkStage() }

    private func announce(_ ids: ClosedRange<Int64>, _ event: TransferNews.Event = .completed) throws {
        let announcer = stage.announcer
        try stage.engine.run {
            for id in ids {
                let news = TransferNews(
                    id: TransferID(rawValue: id),
                    isUpload: true,
                    name: "photo-\(id).jpg",
                    place: "example.com",
                    event: event
                )
                await announcer.announce(news)
            }
        }
    }

    @Test func `what has ended is told a second later, by its name`() throws {
        try announce(1...1)
        stage.engine.advance(by: 0.9)
        #expect(stage.desktop.shown.isEmpty)
        stage.engine.advance(by: 0.2)
        #expect(stage.desktop.titles == ["Uploaded photo-1.jpg"])
        #expect(stage.desktop.shown.first?.body == "To example.com")
    }

    @Test func `many that end together are one notice`() throws {
        try announce(1...500)
        stage.engine.advance(by: 2)
        #expect(stage.desktop.titles == ["500 transfers completed"])
        #expect(stage.desktop.shown.first?.body.hasSuffix("and 497 others") == true)
    }

    @Test func `while they go on ending, the same notice counts on after ten seconds, then twenty`() throws {
        try announce(1...1)
        stage.engine.advance(by: 1.1)
        for id in Int64(2)...40 {
            try announce(id...id)
            stage.engine.advance(by: 1)
        }
        #expect(stage.desktop.titles == ["Uploaded photo-1.jpg", "11 transfers completed", "31 transfers completed"])
        // Each replaces the one before.
        #expect(stage.desktop.closed == stage.desktop.shown.dropLast().map(\.key))
    }

    @Test func `a failure is a notice of its own, and says what to do`() throws {
        try announce(1...2)
        try announce(3...3, .failed(TransferFailure(.cannotConnect, "there is no route")))
        stage.engine.advance(by: 1.1)
        #expect(stage.desktop.titles == ["2 transfers completed", "photo-3.jpg was not uploaded"])
    }

    @Test func `a failure that comes in between is told a second after it, too`() throws {
        try announce(1...1)
        stage.engine.advance(by: 0.5)
        try announce(2...2, .failed(TransferFailure(.cannotConnect, "there is no route")))
        stage.engine.advance(by: 0.6)
        #expect(stage.desktop.titles == ["Uploaded photo-1.jpg"])
        stage.engine.advance(by: 0.5)
        #expect(stage.desktop.titles == ["Uploaded photo-1.jpg", "photo-2.jpg was not uploaded"])
    }

    @Test func `a transfer that waits for its person reminds of it once a minute at most`() throws {
        for _ in 0..<50 {
            try announce(1...1, .needsPerson(.credentials(host: "example.com")))
            stage.engine.advance(by: 1)
        }
        #expect(stage.desktop.titles == ["photo-1.jpg waits for you"])
        stage.engine.advance(by: 15)
        try announce(1...1, .needsPerson(.credentials(host: "example.com")))
        stage.engine.advance(by: 2)
        #expect(stage.desktop.shown.count == 2)
    }

    @Test func `with nothing to tell, no alarm is set`() throws {
        let loop = stage.engine.loop
        try announce(1...1)
        let before = try stage.engine.run { loop.nextAlarm() }
        #expect(before != nil)
        stage.engine.advance(by: 5)
        let after = try stage.engine.run { loop.nextAlarm() }
        #expect(after == nil)
    }
}
