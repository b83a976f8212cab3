// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

@Suite struct TimelineQueryTests {
    private let start = Fixture.start

    /// Queries the seconds 10 to 20.
    private func query(app: String? = nil, host: String? = nil) -> TimelineQuery {
        TimelineQuery(from: start + 10, until: start + 20, app: app, host: host)
    }

    private func span(_ began: Double, _ ended: Double, _ subject: TimelineSpan.Subject = .daemon) -> TimelineSpan {
        TimelineSpan(began: start + began, ended: start + ended, subject)
    }

    private var attempt: TimelineSpan.Subject {
        .attempt(
            TimelineAttempt(
                transfer: TransferID(rawValue: 1),
                number: 1,
                owner: "com.example.a",
                host: "h:80",
                isUpload: true,
                bytes: 1,
                outcome: .succeeded
            )
        )
    }

    @Test func `it concerns what lasted at some time within it, its ends included`() {
        for (began, ended) in [(0.0, 10.0), (0, 30), (12, 13), (20, 30)] {
            #expect(query().concerns(span(began, ended)), "\(began) to \(ended)")
        }
        for (began, ended) in [(0.0, 9.0), (21, 30)] {
            #expect(!query().concerns(span(began, ended)), "\(began) to \(ended)")
        }
    }

    @Test func `an app's query leaves out other apps, and not the machine`() {
        let own = query(app: "com.example.a"), other = query(app: "com.example.b")
        for subject in [attempt, .app("com.example.a", .active)] {
            #expect(own.concerns(span(12, 13, subject)))
            #expect(!other.concerns(span(12, 13, subject)))
        }
        for subject in [TimelineSpan.Subject.daemon, .power(isExternal: true), .network(.unmetered)] {
            #expect(other.concerns(span(12, 13, subject)))
        }
    }

    @Test func `a host's query is about attempts with it, with or without its port, and the machine`() {
        for host in ["h", "h:80"] { #expect(query(host: host).concerns(span(12, 13, attempt)), "\(host)") }
        for host in ["hh", "h:8", "h:81"] { #expect(!query(host: host).concerns(span(12, 13, attempt)), "\(host)") }
        #expect(!query(host: "h").concerns(span(12, 13, .app("com.example.a", .active))))
        #expect(query(host: "h").concerns(span(12, 13)))
    }
}
