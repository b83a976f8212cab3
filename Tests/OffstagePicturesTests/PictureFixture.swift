// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstagePictures
import OffstageProtocol

/// Values to draw: none of them comes from a clock or a daemon.
enum PictureFixture {
    /// 2027-01-15 08:00 UTC.
    static let now = Date(timeIntervalSince1970: 1_800_000_000)
    static let app = "org.example.photos"

    static func attempt(
        _ transfer: Int64,
        from began: Double,
        to ended: Double,
        _ outcome: TimelineOutcome = .succeeded,
        _ failure: TransferFailure.Code? = nil,
        owner: String = "command",
        host: String = "files.example.org:443",
        number: Int = 1
    ) -> TimelineSpan {
        let attempt = TimelineAttempt(
            transfer: TransferID(rawValue: transfer),
            number: number,
            owner: owner,
            host: host,
            isUpload: transfer % 2 == 0,
            bytes: 1 << 20,
            outcome: outcome,
            failure: failure
        )
        return TimelineSpan(began: now + began, ended: now + ended, .attempt(attempt))
    }

    static func span(_ subject: TimelineSpan.Subject, from began: Double, to ended: Double) -> TimelineSpan {
        TimelineSpan(began: now + began, ended: now + ended, subject)
    }

    private static let hour = 3600.0

    /// A night with everything that a timeline can show.
    static var night: TimelineFacts {
        var facts = TimelineFacts(from: now - 12 * hour, until: now + 3 * hour, now: now)
        facts.spans = spansOfNight
        facts.names = [
            TransferID(rawValue: 1): "disk.iso", TransferID(rawValue: 2): "report <final> & \"signed\".pdf",
            TransferID(rawValue: 3): "music.tar", TransferID(rawValue: 4): "홈 백업.tar",
            TransferID(rawValue: 9): "later.bin",
        ]
        facts.expected = [
            TimelineExpectation(
                transfer: TransferID(rawValue: 9),
                owner: "command",
                host: "files.example.org:443",
                isUpload: true,
                path: "/home/someone/later.bin",
                date: now + 0.5 * hour,
                cause: .retry
            ),
            TimelineExpectation(
                transfer: TransferID(rawValue: 10),
                owner: "command",
                host: "files.example.org:443",
                isUpload: true,
                path: "/home/someone/tonight.bin",
                date: now + 2 * hour,
                cause: .beginDate
            ),
        ]
        facts.starts = [
            TaskForecast(
                number: 3,
                app: app,
                identifier: "org.example.photos.tidy",
                kind: .processing,
                date: now + hour,
                reason: .earliestBegin
            )
        ]
        facts.budgets = [TaskBudgetRow(app: app, left: 400, daily: 600)]
        facts.hours = [
            TimelineHours(from: now, until: now + hour, transfers: true, rateLimit: 1 << 20),
            TimelineHours(from: now + hour, until: now + 2 * hour, transfers: false, rateLimit: nil),
            TimelineHours(from: now + 2 * hour, until: now + 3 * hour, transfers: true, rateLimit: nil),
        ]
        return facts
    }

    private static var spansOfNight: [TimelineSpan] {
        [
            attempt(1, from: -11 * hour, to: -10 * hour, .broken, .connectionLost),
            attempt(1, from: -9.5 * hour, to: -8 * hour, number: 2),
            attempt(2, from: -8 * hour, to: -6 * hour, .failed, .httpStatus),
            attempt(3, from: -7 * hour, to: -2 * hour, .paused),
            attempt(4, from: -2 * hour, to: 0, .underWay, host: "backup.example.net:8443"),
            attempt(5, from: -5 * hour, to: -4 * hour, .cancelled, owner: app, host: "photos.example.org:443"),
            attempt(6, from: -3 * hour, to: -2 * hour, owner: app, host: "photos.example.org:443"),
            span(.app(app, .active), from: -10 * hour, to: -9 * hour),
            span(.app(app, .background), from: -9 * hour, to: -8.8 * hour),
            span(.app(app, .suspended), from: -8.8 * hour, to: -3 * hour),
            span(
                .run(TimelineRun(app: app, identifier: "org.example.photos.tidy", outcome: .succeeded)),
                from: -7 * hour,
                to: -6.5 * hour
            ),
            span(
                .run(TimelineRun(app: app, identifier: "org.example.photos.tidy", outcome: .expired)),
                from: -4 * hour,
                to: -3.5 * hour
            ),
            span(.network(.unmetered), from: -12 * hour, to: -10 * hour),
            span(.network(.none), from: -10 * hour, to: -9.5 * hour),
            span(.network(.metered), from: -9.5 * hour, to: -8 * hour),
            span(.network(.unmetered), from: -8 * hour, to: 0),
            span(.power(isExternal: true), from: -12 * hour, to: -4 * hour),
            span(.power(isExternal: false), from: -4 * hour, to: 0),
            span(.daemon, from: -12 * hour, to: 0),
        ]
    }

    /// `count` attempts in a day, a few of which fail, with a few at a time.
    static func busyDay(_ count: Int) -> TimelineFacts {
        var facts = TimelineFacts(from: now - 86_400, until: now + 21_600, now: now)
        for number in 0..<count {
            let began = -86_400 + 86_400 * Double(number) / Double(count)
            let isBroken = number % 97 == 13
            facts.spans.append(
                attempt(
                    Int64(number + 1),
                    from: began,
                    to: min(0, began + Double(5 + number % 40)),
                    isBroken ? .broken : .succeeded,
                    isBroken ? .connectionLost : nil,
                    host: "host\(number % 3).example.org:443"
                )
            )
        }
        return facts
    }
}
