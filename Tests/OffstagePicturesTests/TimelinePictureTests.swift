// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstagePictures
import OffstageProtocol
import OffstageTestSupport
import Testing

@Suite struct TimelinePictureTests {
    private let now = PictureFixture.now
    private let hour = 3600.0

    private func picture(_ facts: TimelineFacts, units: Int = 60, rows: Int = 1) -> TimelinePicture {
        TimelinePicture(facts, in: .init(units: units, rows: rows, spacing: 8), clock: .utc)
    }

    /// Facts of the last hour in 60 units: a unit is a minute.
    private func facts(_ spans: [TimelineSpan]) -> TimelineFacts {
        var facts = TimelineFacts(from: now - hour, until: now, now: now)
        facts.spans = spans
        return facts
    }

    private func bars(_ spans: [TimelineSpan], rows: Int = 1) throws -> [[TimelineBar]] {
        try #require(picture(facts(spans), rows: rows).groups.first?.lanes.first).rows
    }

    @Test func `an attempt lies where its time is, and is one unit wide at least`() throws {
        let bars = try bars([
            PictureFixture.attempt(1, from: -3000, to: -2400), PictureFixture.attempt(2, from: -600, to: -599),
        ])[0]
        #expect(bars.map { [$0.from, $0.to] } == [[10, 20], [50, 51]])
        #expect(bars.map(\.count) == [1, 1])
        #expect(bars[0].single?.began == now - 3000)
    }

    @Test func `what lies partly outside is cut, and what lies wholly outside is left out`() throws {
        let bars = try bars([
            PictureFixture.attempt(1, from: -9000, to: -3000), PictureFixture.attempt(2, from: -60, to: 900),
            PictureFixture.attempt(3, from: -9000, to: -8000), PictureFixture.attempt(4, from: 100, to: 200),
        ])[0]
        #expect(bars.map { [$0.from, $0.to] } == [[0, 10], [59, 60]])
    }

    @Test func `neighbours that are too narrow to be drawn apart are one bar, and others are not`() throws {
        let bars = try bars([
            PictureFixture.attempt(1, from: -3000, to: -2999), PictureFixture.attempt(2, from: -2990, to: -2985),
            PictureFixture.attempt(3, from: -2935, to: -2930),
            PictureFixture.attempt(4, from: -2870, to: -2865, .failed),
            PictureFixture.attempt(5, from: -2400, to: -1800), PictureFixture.attempt(6, from: -1800, to: -1200),
        ])[0]
        #expect(bars.map { [$0.from, $0.to, $0.count] } == [[10, 12, 3], [12, 13, 1], [20, 30, 1], [30, 40, 1]])
        #expect(bars[0].tally == [.succeeded: 3])
        #expect(bars[0].single == nil)
        #expect(bars[0].began == now - 3000)
        #expect(bars[0].ended == now - 2930)
    }

    @Test func `several in one unit get the heaviest look`() throws {
        let bars = try bars([
            PictureFixture.attempt(1, from: -3000, to: -2999),
            PictureFixture.attempt(2, from: -2995, to: -2994, .broken),
            PictureFixture.attempt(3, from: -2990, to: -2989, .paused),
        ])[0]
        #expect(bars.map(\.look) == [.broken])
        #expect(bars[0].tally == [.succeeded: 1, .broken: 1, .paused: 1])
    }

    @Test func `attempts at the same time lie below each other, as far as there are rows`() throws {
        let spans = (0..<4).map { PictureFixture.attempt($0 + 1, from: -3000 + Double($0) * 300, to: -1200) }
        #expect(
            try bars(spans, rows: 4).map { $0.map { [$0.from, $0.to] } } == [
                [[10, 40]], [[15, 40]], [[20, 40]], [[25, 40]],
            ]
        )
        let two = try bars(spans, rows: 2)
        #expect(two.count == 2)
        #expect(two.joined().reduce(0) { $0 + $1.count } == 4)
        for row in two {
            for (left, right) in zip(row, row.dropFirst()) { #expect(left.to <= right.from) }
        }
    }

    @Test func `a row never has more bars than the line has units, and loses no attempt`() throws {
        let picture = picture(PictureFixture.busyDay(10_000), units: 100, rows: 3)
        let rows = picture.groups.flatMap(\.lanes).flatMap(\.rows)
        #expect(picture.groups[0].lanes.count == 3)
        #expect(rows.allSatisfy { $0.count <= 100 })
        #expect(rows.joined().reduce(0) { $0 + $1.count } == 10_000)
        #expect(picture.tally.values.reduce(0, +) == 10_000)
        for row in rows {
            for (left, right) in zip(row, row.dropFirst()) { #expect(left.to <= right.from) }
        }
    }

    @Test func `the order in which values come changes nothing`() {
        var facts = PictureFixture.night
        let drawn = picture(facts, units: 97, rows: 3)
        facts.spans.reverse()
        facts.expected.reverse()
        #expect(picture(facts, units: 97, rows: 3) == drawn)
        var busy = PictureFixture.busyDay(500)
        let before = picture(busy)
        busy.spans.shuffle()
        #expect(picture(busy) == before)
    }

    @Test func `lanes are by owner and host, a person's first`() {
        let groups = picture(PictureFixture.night).groups
        #expect(groups.map(\.title) == ["offstage", "org.example.photos"])
        #expect(groups[0].lanes.map(\.title) == ["backup.example.net:8443", "files.example.org"])
        #expect(groups[1].lanes.map(\.title) == ["state", "deferred work", "photos.example.org"])
        #expect(groups[1].note == "7 min of 10 min left today for deferred work")
    }

    @Test func `more hosts and owners than there is room for share a lane, or are named as left out`() {
        var spans: [TimelineSpan] = []
        for number in 0..<40 {
            spans.append(PictureFixture.attempt(1, from: -100, to: -50, host: "host\(number):80"))
            spans.append(PictureFixture.attempt(1, from: -100, to: -50, owner: "app\(number)"))
        }
        let picture = picture(facts(spans))
        #expect(picture.groups.count == 16)
        #expect(picture.ownersLeftOut == 25)
        #expect(picture.groups[0].lanes.count == 13)
        #expect(picture.groups[0].lanes.last?.title == "28 more hosts")
        #expect(picture.groups[0].lanes.last?.rows.joined().reduce(0) { $0 + $1.count } == 28)
    }

    @Test func `network, power, the daemon and the schedule lie beneath, one state over a restart as one bar`() {
        var facts = PictureFixture.night
        facts.spans.append(PictureFixture.span(.network(.unmetered), from: -2 * hour, to: 0))
        let bands = picture(facts, units: 15).bands
        #expect(bands.map(\.title) == ["network", "power", "daemon", "schedule"])
        #expect(bands[0].rows[0].map(\.look) == [.online, .offline, .metered, .online])
        #expect(bands[0].rows[0].last?.count == 1)
        #expect(bands[3].rows[0].map(\.look) == [.limited, .held])
        #expect(bands[3].rows[0].map { [$0.from, $0.to] } == [[12, 13], [13, 14]])
    }

    @Test func `what is expected lies to the right of now, the first of it is next`() {
        let picture = picture(PictureFixture.night, units: 15)
        #expect(picture.nowUnit == 12)
        let marks = picture.groups.flatMap(\.lanes).flatMap(\.marks)
        #expect(marks.map(\.look) == [.retry, .begin, .run])
        #expect(marks.allSatisfy { $0.unit >= 12 })
        #expect(picture.next?.name == "later.bin")
        var past = PictureFixture.night
        past.until = now - hour
        #expect(self.picture(past).nowUnit == nil)
        #expect(self.picture(past).next == nil)
    }

    @Test func `an attempt that died with its daemon ends when that did`() throws {
        var facts = facts([
            PictureFixture.attempt(1, from: -3000, to: -600, .broken, .daemonInterrupted),
            PictureFixture.span(.daemon, from: -3600, to: -2400), PictureFixture.span(.daemon, from: -600, to: 0),
        ])
        #expect(picture(facts).groups[0].lanes[0].rows[0].map { [$0.from, $0.to] } == [[10, 20]])
        facts.spans.removeFirst()
        facts.spans.append(PictureFixture.attempt(1, from: -3000, to: -600, .broken, .connectionLost))
        #expect(picture(facts).groups[0].lanes[0].rows[0].map { [$0.from, $0.to] } == [[10, 50]])
    }

    @Test func `values that make no sense are drawn without a trap`() {
        var facts = TimelineFacts(from: now, until: now - 5, now: .distantFuture)
        facts.spans = [
            TimelineSpan(began: .distantPast, ended: .distantFuture, .daemon),
            TimelineSpan(began: .distantFuture, ended: .distantPast, .network(.none)),
        ]
        #expect(picture(facts, units: 0).bands.count <= 2)
        facts = TimelineFacts(from: .distantPast, until: .distantFuture, now: now)
        facts.spans = [PictureFixture.attempt(1, from: 0, to: 1)]
        #expect(picture(facts).groups.count == 1)
        #expect(!TimelineSVG.text(facts, clock: .utc).isEmpty)
    }

    @Test func `ten thousand attempts are laid out and drawn in well under a second`() {
        let facts = PictureFixture.busyDay(10_000)
        var text = ""
        let taken = ThreadTime.measure { text = TimelineSVG.text(facts, clock: .utc) }
        // Room for a debug build on a slow machine; a release build takes a fraction of it.
        #expect(taken < .seconds(5), "it took \(taken)")
        #expect(text.utf8.count < 200_000, "\(text.utf8.count) bytes")
    }

    @Test func `a state that is on record and lasts is one, and so is one that is on two pages`() throws {
        func row(_ ended: Double) -> TimelineRow { TimelineRow(PictureFixture.span(.daemon, from: -3000, to: ended)) }
        func reply(_ rows: [TimelineRow], _ lasting: [TimelineRow]? = nil) -> ReadTimeline.Reply {
            let present = lasting.map { ReadTimeline.Present(lasting: $0, expected: [], hours: []) }
            return ReadTimeline.Reply(now: now, rows: rows, files: [], next: nil, present: present)
        }
        var facts = facts([])
        facts.add(reply([row(-1000)])) { $0 }
        facts.add(reply([row(-900)], [row(0)])) { $0 }
        #expect(facts.spans == [PictureFixture.span(.daemon, from: -3000, to: 0)])
        facts.add(reply([TimelineRow(PictureFixture.span(.daemon, from: -2000, to: -1))])) { $0 }
        #expect(facts.spans.count == 2)
    }

    @Test func `an attempt that died with its daemon ends with what the daemon did last`() throws {
        let attempt = PictureFixture.attempt(1, from: -2000, to: -60, .broken, .daemonInterrupted)
        let daemon = PictureFixture.span(.daemon, from: -3600, to: -2400)
        #expect(try bars([attempt, daemon])[0].map(\.ended) == [now - 2000])
        let later = PictureFixture.span(.daemon, from: -3600, to: -1800)
        #expect(try bars([attempt, later])[0].map(\.ended) == [now - 1800])
        #expect(try bars([attempt])[0].map(\.ended) == [now - 60])
    }
}
