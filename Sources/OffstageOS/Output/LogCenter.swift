// SPDX-License-Identifier: Apache-2.0
import COffstageOS
import Glibc

/// Where entries go. From any thread; it neither waits nor fails.
package final class LogCenter: Sendable {
    package let settings: LogSettings
    private let journal: JournalSocket
    private let standardError: StandardError
    private let isJournal: Bool
    private let program: String

    /// That of this process, by what its environment says when it is first asked for.
    package static let shared: LogCenter = {
        let center = LogCenter(
            settings: LogSettings(environment: value),
            standardError: StandardError(),
            journalStream: value("JOURNAL_STREAM")
        )
        center.reportUnknownWords()
        return center
    }()

    /// - Parameters:
    ///   - settings: what is kept and where it goes.
    ///   - journal: the way to journald.
    ///   - standardError: where entries go that the journal does not take.
    ///   - journalStream: the value of `JOURNAL_STREAM`.
    package init(
        settings: LogSettings,
        journal: JournalSocket = JournalSocket(),
        standardError: StandardError,
        journalStream: String? = nil
    ) {
        self.settings = settings
        self.journal = journal
        self.standardError = standardError
        isJournal = standardError.isJournal(journalStream)
        program = String(cString: offstage_os_program_name())
    }

    /// Writes an entry that is kept.
    package func write(_ entry: LogEntry) {
        let isTaken =
            settings.destination != .standardError && journal.send(JournalEntry(entry, program: program).bytes)
        // Where the journal reads standard error as well, it would have the entry twice.
        if isTaken && (settings.destination == .journal || isJournal) { return }
        let line = ConsoleLine(
            entry,
            time: Self.now,
            program: program,
            processID: getpid(),
            isJournal: isJournal
        )
        standardError.write(line.text)
    }

    private func reportUnknownWords() {
        guard !settings.unknownWords.isEmpty else { return }
        let words = settings.unknownWords.joined(separator: ", ")
        standardError.write("os: OFFSTAGE_OS_LOG says \(words), which means nothing here (docs/logging.md).\n")
    }

    private static var now: UTCTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return UTCTime(seconds: time.tv_sec, microseconds: time.tv_nsec / 1000)
    }

    private static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
