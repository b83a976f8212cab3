// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import OffstageCore
import OffstageTestSupport
import Testing

/// The descriptions of settings, environment, places and statuses, and the documents that show them.
@Suite struct SettingsReferenceTests {
    private static let root = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")

    @Test func `every key is described, and no other`() {
        func keys(_ settings: [SettingDescription]) -> [String] {
            settings.flatMap { $0.key.split(separator: ",").map { String($0.filter { $0 != " " }) } }.sorted()
        }
        #expect(keys(SettingsReference.settings) == Settings.keys.sorted())
        #expect(keys(SettingsReference.deferredWork) == DeferredWorkSettings.keys.sorted())
        #expect(keys(SettingsReference.schedule) == ScheduleEntry.keys.sorted())
    }

    @Test func `a key takes what its description says, and nothing beyond`() {
        for setting in SettingsReference.settings { check(setting) { "{\"\(setting.key)\":\($0)}" } }
        for setting in SettingsReference.deferredWork {
            check(setting) { "{\"deferredWork\":{\"\(setting.key)\":\($0)}}" }
        }
    }

    private func check(_ setting: SettingDescription, _ file: (String) -> String) {
        func isTaken(_ value: String) -> Bool {
            (try? Settings.parse(Array(file(value).utf8), path: "settings.json")) != nil
        }
        switch setting.values {
        case .toggle:
            #expect(isTaken("true") && isTaken("false") && !isTaken("1"), "\(setting.key)")
        case .numbers(let range):
            let first = Int(range.lowerBound), last = Int(range.upperBound)
            #expect(isTaken("\(first)") && isTaken("\(last)"), "\(setting.key)")
            #expect(!isTaken("\(first - 1)") && !isTaken("\(last + 1)"), "\(setting.key)")
        case .words(let words):
            for word in words { #expect(isTaken("\"\(word)\""), "\(setting.key)") }
            #expect(!isTaken("\"else\""), "\(setting.key)")
        case .described: break
        }
    }

    @Test func `the limits that are told in words are those that are checked`() {
        func isTaken(_ text: String) -> Bool { (try? Settings.parse(Array(text.utf8), path: "settings.json")) != nil }
        #expect(isTaken("{\"retryMaximumDelay\":604800}") && !isTaken("{\"retryMaximumDelay\":604801}"))
        #expect(isTaken("{\"backgroundTime\":\"86400\"}") && !isTaken("{\"backgroundTime\":\"86401\"}"))
        #expect(isTaken("{\"backgroundTime\":\"0.1\"}") && !isTaken("{\"backgroundTime\":\"0.09\"}"))
        #expect(!isTaken("{\"rateLimit\":0}") && !isTaken("{\"keepFinishedCount\":-1}"))
    }

    @Test func `the example is one that the daemon takes`() throws {
        let settings = try Settings.parse(Array(SettingsReference.example.utf8), path: "settings.json")
        #expect(settings.connectionsPerHost == 4)
    }

    @Test(.serialized, arguments: SettingsDocument.tables)
    func `a document shows what the programs say`(table: SettingsDocument.Table) throws {
        let path = "\(Self.root)/docs/\(table.page)"
        var text = try TestFiles.text(path)
        let begin = try #require(text.firstRange(of: "<!-- \(table.name): made by SettingsReferenceTests -->\n"))
        let end = try #require(text[begin.upperBound...].firstRange(of: "<!-- end of \(table.name) -->"))
        if ProcessInfo.processInfo.environment["OFFSTAGE_WRITE_DOCS"] == "1" {
            text.replaceSubrange(begin.upperBound..<end.lowerBound, with: table.text)
            try Data(text.utf8).write(to: URL(filePath: path))
            return
        }
        #expect(
            text[begin.upperBound..<end.lowerBound] == table.text,
            "Look at what has changed, and run this test with OFFSTAGE_WRITE_DOCS=1 if it is meant."
        )
    }
}
