// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

@Suite struct SettingsTests {
    private func parse(_ text: String) throws(SettingsError) -> Settings {
        try Settings.parse(Array(text.utf8), path: "/etc/settings.json")
    }

    @Test func `an empty object is the defaults`() throws {
        #expect(try parse("{}") == Settings())
        #expect(try parse("{}").connectionsPerHost == 6)
        #expect(try parse(" {\n} ").keepFinishedDays == 30)
    }

    @Test func `every key can be set`() throws {
        let settings = try parse(
            """
            {"connectionsPerHost": 2, "maximumRunning": 3, "rateLimit": 4, "keepFinishedDays": 5, "keepFinishedCount": 6,
             "retryBaseDelay": 0.5, "retryMaximumDelay": 8, "credentialHelper": "pass show x", "testCommitDelay": 0.3,
             "stopDeadline": 7, "logLevel": "debug", "notify": "failures"}
            """
        )
        #expect(settings.connectionsPerHost == 2)
        #expect(settings.maximumRunning == 3)
        #expect(settings.rateLimit == 4)
        #expect(settings.keepFinishedDays == 5)
        #expect(settings.keepFinishedCount == 6)
        #expect(settings.retryBaseDelay == 0.5)
        #expect(settings.retryMaximumDelay == 8)
        #expect(settings.credentialHelper == "pass show x")
        #expect(settings.testCommitDelay == 0.3)
        #expect(settings.stopDeadline == 7)
        #expect(settings.logLevel == .debug)
        #expect(settings.notify == .failures)
        #expect(Settings().notify == .never)
        #expect(try parse(#"{"rateLimit": null}"#).rateLimit == nil)
    }

    private static let faults: [(String, String)] = [
        (#"{"connectionsPerHost": 0}"#, "connectionsPerHost"), (#"{"connectionsPerHost": 1025}"#, "connectionsPerHost"),
        (#"{"maximumRunning": 0}"#, "maximumRunning"), (#"{"rateLimit": 0}"#, "rateLimit"),
        (#"{"keepFinishedDays": -1}"#, "keepFinishedDays"),
        (#"{"keepFinishedDays": 9223372036854775807}"#, "keepFinishedDays"),
        (#"{"keepFinishedCount": -1}"#, "keepFinishedCount"), (#"{"retryBaseDelay": 0}"#, "retryBaseDelay"),
        (#"{"retryBaseDelay": 400}"#, "retryMaximumDelay"), (#"{"retryMaximumDelay": 1e300}"#, "retryMaximumDelay"),
        (#"{"stopDeadline": 0}"#, "stopDeadline"), (#"{"testCommitDelay": 61}"#, "testCommitDelay"),
        (#"{"notify": "always"}"#, "notify"), (#"{"notify": true}"#, "notify"),
        (#"{"logLevel": "loud"}"#, "logLevel"), (#"{"logLevel": 3}"#, "logLevel"),
        (#"{"conectionsPerHost": 1}"#, "conectionsPerHost"),
        (#"{"connectionsPerHost": "6"}"#, "connectionsPerHost"), (#"{"maximumRunning": 1.5}"#, "a fraction"),
        (#"{"credentialHelper": 1}"#, "credentialHelper"), ("[]", "object"), ("6", "object"), ("", "syntax"),
        ("{", "syntax"),
        (#"{"a" 1}"#, "syntax"), ("{'connectionsPerHost': 1}", "syntax"), ("\u{0}", "syntax"),
    ]

    @Test(arguments: faults) func `a mistake is refused in a sentence that names it`(text: String, word: String) throws
    {
        let error = try #require(throws: SettingsError.self) { try parse(text) }
        guard case .invalid(let path, let detail) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(path == "/etc/settings.json")
        #expect(detail.contains(word), "\(detail)")
        #expect(!detail.contains("Error Domain"), "\(detail)")
        #expect(!detail.contains("DecodingError"), "\(detail)")
        #expect(error.sentence.contains("/etc/settings.json"))
    }

    private static let places: [(String, String)] = [
        ("{\n  \"maximumRunning\" 3\n}", "a colon is missing in line 2, column 20"),
        ("{\"maximumRunning\": 3\n\"rateLimit\": 4}", "a comma or } is missing in line 2, column 1"),
        ("{\"credentialHelper\": \"ü\" x}", "a comma or } is missing in line 1, column 26"),
        ("{\"credentialHelper\": \"x\n\"}", "a quotation mark is missing in line 1, column 24"),
        ("{\"credentialHelper\": \"x", "a quotation mark is missing in line 1, column 24"),
        ("{\"credentialHelper\": x}", "a value is missing or not in double quotes in line 1, column 22"),
        ("{} {}", "nothing may follow the last } in line 1, column 4"),
        ("{\"a\": [1", "a comma or ] is missing in line 1, column 9"),
        ("{\"a\":", "the text ends too early in line 1, column 6"), ("// no comments\n{}", "a value is missing"),
        (String(repeating: "[", count: 10_000), "too many brackets"),
    ]

    @Test(arguments: places) func `a syntax error is told with its place`(text: String, detail: String) throws {
        let error = try #require(throws: SettingsError.self) { try parse(text) }
        #expect(error.sentence.contains("syntax error: " + detail), "\(error.sentence)")
    }

    @Test func `bytes that are no text are refused`() {
        #expect(throws: SettingsError.self) { try Settings.parse([0xFF, 0xFE, 0x00], path: "/s") }
    }

    @Test func `deferred work has generous limits, a phone's when strict, and what is set before both`() throws {
        #expect(try parse("{}").taskPolicy == TaskPolicy())
        let strict = try parse(#"{"strict": true}"#).taskPolicy
        #expect(strict.refreshLimit == 1)
        #expect(strict.processingLimit == 10)
        let set = try parse(
            #"{"strict": true, "deferredWork": {"refreshRequests": 3, "dailySeconds": 60, "leastCharge": 0.5}}"#
        ).taskPolicy
        #expect(set.refreshLimit == 3)
        #expect(set.processingLimit == 10)
        #expect(set.dailySeconds == 60)
        #expect(set.leastCharge == 0.5)
    }

    @Test func `background refresh is switched for all, and otherwise for single apps`() throws {
        let off = try parse(
            #"{"deferredWork": {"refresh": false}, "apps": {"a": {"backgroundRefresh": true}, "b": {"backgroundRefresh": false}}}"#
        ).taskPolicy
        #expect(off.allowsRefresh("a"))
        #expect(!off.allowsRefresh("b"))
        #expect(!off.allowsRefresh("c"))
        let on = try parse(#"{"apps": {"a": {"backgroundRefresh": true}, "b": {"backgroundRefresh": false}}}"#)
            .taskPolicy
        #expect(on.allowsRefresh("a"))
        #expect(!on.allowsRefresh("b"))
        #expect(on.allowsRefresh("c"))
    }

    private static let faultsInside: [(String, String)] = [
        (#"{"deferredWork": {"dailySeconds": 0}}"#, "deferredWork.dailySeconds must be from 1 to 86400"),
        (#"{"deferredWork": {"leastCharge": 20}}"#, "deferredWork.leastCharge must be from 0 to 1"),
        (#"{"deferredWork": {"refreshs": true}}"#, "'refreshs' is not a setting in deferredWork"),
        (#"{"apps": {"com.example.a": {"backgroundTim": "1"}}}"#, "'backgroundTim' is not a setting in apps"),
        (#"{"deferredWork": {"running": "4"}}"#, "the value of 'running' has the wrong type"),
    ]

    @Test(arguments: faultsInside) func `a mistake inside a setting is named`(text: String, detail: String) throws {
        let error = try #require(throws: SettingsError.self) { try parse(text) }
        #expect(error.sentence.contains(detail), "\(error.sentence)")
    }
}
