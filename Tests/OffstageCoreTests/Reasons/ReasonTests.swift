// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import Testing

@Suite struct ReasonTests {
    private static let failures = TransferFailure.Code.allCases.map { TransferFailure($0, "it went wrong") }

    private static let causes: [Reason.Cause] =
        [
            .running, .saving, .inLine(ahead: 0), .inLine(ahead: 1), .inLine(ahead: 2),
            .hostLimit(host: "h:80", running: 6, limit: 6), .totalLimit(running: 64, limit: 64), .network(.noLink),
            .network(.noAddress), .network(.noRoute), .earliestBegin, .credentials(host: "h"), .paused,
            .account(.noAccount("work")),
            .predecessor(.init(id: TransferID(rawValue: 7)), others: 0),
            .predecessor(.init(id: TransferID(rawValue: 7), end: .failed), others: 2),
            .predecessor(.init(id: TransferID(rawValue: 7), end: .forgotten), others: 1),
            .storeTrouble("the disk is full"), .completed(status: 200), .leftOut, .cancelled,
            .keeper(isRefused: false), .keeper(isRefused: true), .released,
            .fleetLimit(fleet: "studio", running: 2, limit: 2),
        ] + FleetPolicy.Hold.allCases.map { .heldByFleet("studio", $0) } + TransferHold.allCases.map { .held($0) }
        + failures.map { .retry($0, attempts: 2) } + failures.map { .failed($0) }

    @Test(arguments: causes) func `every cause says what it is and what can be done`(cause: Reason.Cause) throws {
        let reason = Reason(cause: cause, since: Fixture.start, nextLook: Fixture.start + 5)
        #expect(!reason.summary.isEmpty)
        #expect(!reason.summary.hasSuffix("."))
        #expect(!reason.summary.contains("unknown"))
        let forApp = reason.advice(isSessionTask: true)
        switch cause {
        case .completed, .leftOut: #expect(reason.advice.isEmpty && forApp.isEmpty, "there is nothing to be done")
        default:
            #expect(reason.advice.hasSuffix(".") || reason.advice.hasSuffix("'"))
            #expect(!forApp.isEmpty)
        }
        switch cause {
        case .failed:
            #expect(!forApp.contains("offstage retry"))
            // A failed transfer is not tried again.
            for advice in [reason.advice, forApp] { #expect(!advice.lowercased().contains("nothing needs doing")) }
        case .cancelled: #expect(!forApp.contains("offstage retry"))
        default: break
        }
        let data = try JSONEncoder().encode(reason)
        #expect(try JSONDecoder().decode(Reason.self, from: data) == reason)
    }

    @Test func `a place in line is counted in words that fit the number`() {
        func summary(_ cause: Reason.Cause) -> String { Reason(cause: cause, since: Fixture.start).summary }
        #expect(summary(.inLine(ahead: 0)) == "next in line")
        #expect(summary(.inLine(ahead: 1)) == "in line behind 1 other")
        #expect(summary(.inLine(ahead: 2)) == "in line behind 2 others")
    }

    private static let sentences: [String] =
        [
            StoreError.fromTheFuture(path: "/s", version: 2, known: 1), .locked(path: "/s"), .readOnly(path: "/s"),
            .full(path: "/s"), .cannotOpen(path: "/s", detail: "d"), .failed(path: "/s", detail: "d"),
        ].map(\.sentence)
        + [
            SettingsError.noHome, .homeIsRelative("o"), .socketPathTooLong("/s"), .unreadable(path: "/s", detail: "d"),
            .closedFolder(path: "/s", place: "/s/p"),
            .invalid(path: "/s", detail: "d"),
        ].map(\.sentence)

    @Test(arguments: sentences) func `every error is one sentence`(sentence: String) {
        #expect(sentence.hasSuffix("."))
        #expect(sentence.contains(":"), "it says what to do")
    }
}
