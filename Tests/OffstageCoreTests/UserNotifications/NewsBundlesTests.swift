// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

/// When a person is notified, and in which words.
@Suite struct NewsBundlesTests {
    private static let failure = TransferFailure(.httpStatus, "the server answered 404 Not Found", status: 404)

    private func news(_ id: Int64, _ event: TransferNews.Event, isUpload: Bool = true) -> TransferNews {
        TransferNews(
            id: TransferID(rawValue: id),
            isUpload: isUpload,
            name: "file\(id)",
            place: "https://h/x",
            event: event
        )
    }

    /// What is shown, and when, for news that arrives at these times; runs until there is nothing left to show.
    private func shown(_ all: [(Double, TransferNews)]) -> [(time: Double, notice: NewsBundles.Notice)] {
        var bundles = NewsBundles()
        var shown: [(time: Double, notice: NewsBundles.Notice)] = []
        func look(until time: Double) {
            while let due = bundles.nextLook, due <= time {
                shown += bundles.removeDue(now: due).map { (due, $0) }
            }
        }
        for (time, news) in all {
            look(until: time)
            bundles.add(news, now: time)
        }
        look(until: .infinity)
        return shown
    }

    private static let texts: [(TransferNews.Event, isUpload: Bool, title: String, body: String)] = [
        (.completed, true, "Uploaded file7", "To https://h/x"),
        (.completed, false, "Downloaded file7", "From https://h/x"),
        (.leftOut, true, "file7 was there already", "To https://h/x"),
        (
            .failed(failure), true, "file7 was not uploaded",
            "Failed: the server answered 404 Not Found. Check the URL: the server does not know it."
        ),
        (
            .needsPerson(.credentials(host: "h")), false, "file7 waits for you",
            "Waiting for credentials: h answered 401. Give new ones: offstage header set 7 'Authorization: …'"
        ),
    ]

    @Test(arguments: texts.indices)
    func `a single one is told in its own words, a second later`(row: Int) {
        let text = Self.texts[row]
        let shown = shown([(100, news(7, text.0, isUpload: text.isUpload))])
        #expect(shown.map(\.time) == [101])
        #expect(shown.first?.notice.title == text.title)
        #expect(shown.first?.notice.body == text.body)
    }

    @Test func `those that come together are one, with a count and some names`() {
        let all = (1...12).map { (100 + Double($0) / 16, news($0, .completed)) }
        let shown = shown(all)
        #expect(shown.map(\.time) == [101.0625])
        #expect(shown.first?.notice.title == "12 transfers completed")
        #expect(shown.first?.notice.body == "file1, file2, file3 and 9 others")
    }

    @Test func `what is wrong is told apart from what is done`() {
        let shown = shown([
            (100, news(1, .completed)), (100, news(2, .failed(Self.failure))), (100.1, news(3, .completed)),
            (100.2, news(4, .needsPerson(.setAside(crashes: 3)))), (100.3, news(5, .failed(Self.failure))),
            (100.4, news(6, .leftOut)),
        ])
        #expect(
            shown.map(\.notice.title) == [
                "2 transfers completed, 1 was there already", "2 transfers failed, 1 waits for you",
            ]
        )
        #expect(shown.map(\.notice.key) == ["ends-0", "problems-0"])
        #expect(shown.last?.notice.body == "file2, file4, file5\n'offstage list' and 'offstage why' tell you more.")
    }

    @Test func `while more come they are told ever less often, in place of the one before`() {
        // A transfer ends every second for a hundred minutes.
        let shown = shown((0..<6000).map { (Double($0), news(Int64($0) + 1, .completed)) })
        #expect(shown.prefix(7).map(\.time) == [1, 11, 31, 71, 151, 311, 631])
        #expect(shown.count < 20)
        #expect(zip(shown, shown.dropFirst()).allSatisfy { $1.time - $0.time <= NewsBundles.longestGap + 1 })
        #expect(Set(shown.map(\.notice.key)) == ["ends-0"])
        #expect(shown.last?.notice.title == "6000 transfers completed")
    }

    @Test func `once it has been quiet, the next one is told by itself`() {
        let shown = shown([
            (0, news(1, .completed)), (5, news(2, .completed)), (60, news(3, .completed)), (62, news(4, .completed)),
        ])
        #expect(shown.map(\.time) == [1, 11, 61, 71])
        #expect(
            shown.map(\.notice.title) == [
                "Uploaded file1", "2 transfers completed", "Uploaded file3", "2 transfers completed",
            ]
        )
        #expect(shown.map(\.notice.key) == ["ends-0", "ends-0", "ends-1", "ends-1"])
    }

    @Test func `only so many notifications are left on the desktop`() {
        let shown = shown((0..<100).map { (Double($0) * 1000, news(Int64($0) + 1, .completed)) })
        #expect(shown.count == 100)
        #expect(Set(shown.map(\.notice.key)).count == NewsBundles.mostLeft)
    }

    @Test func `a need is told again only when that helps`() {
        let account = TransferNews.Event.needsPerson(.account(TransferFailure(.accountUnusable, "it needs a sign-in")))
        let credentials = TransferNews.Event.needsPerson(.credentials(host: "h"))
        // The transfer looks for its account every ten minutes.
        let looks = shown((0..<300).map { (Double($0) * 600, news(1, account)) })
        #expect(looks.map(\.time) == [1, 86_401, 172_801])
        let refused = shown([(0, news(1, credentials)), (30, news(1, credentials)), (500, news(1, credentials))])
        #expect(refused.map(\.time) == [1, 501])
        // Something else was needed in between, or the transfer has ended.
        #expect(shown([(0, news(1, account)), (100, news(1, credentials)), (200, news(1, account))]).count == 3)
        #expect(shown([(0, news(1, account)), (100, news(1, .completed)), (200, news(1, account))]).count == 3)
    }

    @Test func `a name cannot hide the rest, and nothing moves a cursor`() {
        var long = news(1, .failed(TransferFailure(.diskFull, String(repeating: "x", count: 5000))))
        long.name = "\u{1B}[2Ja\nb" + String(repeating: "n", count: 300)
        let notice = shown([(0, long)]).first?.notice
        #expect(notice?.title.count ?? 0 < 100)
        #expect(notice?.body.count == 500)
        #expect(notice?.title.unicodeScalars.contains { $0.value < 32 } == false)
    }

    @Test func `with nothing to tell there is nothing to wake for`() {
        var bundles = NewsBundles()
        #expect(bundles.nextLook == nil)
        bundles.add(news(1, .completed), now: 5)
        #expect(bundles.nextLook == 6)
        #expect(bundles.removeDue(now: 5.9).isEmpty)
        #expect(bundles.removeDue(now: 6).count == 1)
        #expect(bundles.nextLook == nil)
        #expect(bundles.removeDue(now: 1e9).isEmpty)
    }
}
