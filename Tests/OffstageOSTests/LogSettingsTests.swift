// SPDX-License-Identifier: Apache-2.0
import OffstageOS
import Testing

/// The log's settings in the environment.
@Suite struct LogSettingsTests {
    private func settings(_ log: String?, _ mode: String? = nil) -> LogSettings {
        LogSettings { ["OFFSTAGE_OS_LOG": log, "OS_ACTIVITY_MODE": mode][$0] ?? nil }
    }

    @Test func `debug and info are not kept unless asked for`() {
        #expect(kept(settings(nil)) == [.notice, .warning, .error, .fault])
        #expect(kept(settings("")) == [.notice, .warning, .error, .fault])
        #expect(kept(settings("debug")) == LogLevel.allCases)
        #expect(kept(settings("info")) == [.info, .notice, .warning, .error, .fault])
        #expect(kept(settings("default")) == [.notice, .warning, .error, .fault])
        #expect(kept(settings("Error")) == [.warning, .error, .fault])
        #expect(kept(settings("fault")) == [.fault])
        #expect(kept(settings("off")) == [])
    }

    @Test func `words may be put together`() {
        let all = settings("debug,stderr, signposts")
        #expect(all == LogSettings(threshold: .debug, destination: .standardError, keepsSignposts: true))
        #expect(settings("both").destination == .both && settings("journal").destination == .journal)
        #expect(settings(nil).destination == .journal && !settings("debug").keepsSignposts)
    }

    @Test func `an activity mode of disable keeps nothing`() {
        #expect(kept(settings("debug,signposts", "disable")) == [] && !settings("signposts", "disable").keepsSignposts)
        #expect(kept(settings(nil, "default")) == [.notice, .warning, .error, .fault])
    }

    @Test func `words without a meaning are told, and harm nothing`() {
        let settings = settings("verbose,debug,\u{1B}[2J")
        #expect(settings.unknownWords == ["verbose", "\u{FFFD}[2J"] && settings.keeps(.debug))
    }

    private func kept(_ settings: LogSettings) -> [LogLevel] { LogLevel.allCases.filter { settings.keeps($0) } }
}
