// SPDX-License-Identifier: Apache-2.0
import COffstageOS
import Glibc

/// Sends entries to their destinations. From any thread; it neither waits nor fails.
package final class LogCenter: Sendable {
    package let settings: LogSettings
    private let journal: JournalSocket
    private let standardError: StandardError
    private let isJournal: Bool
    private let program: String

    /// The center of this process, configured by its environment on first access.
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
    ///   - settings: which entries are kept, and where they go.
    ///   - journal: the socket for sending entries to journald.
    ///   - standardError: receives the entries that the journal does not accept.
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

    /// Writes an entry that should be kept.
    package func write(_ entry: LogEntry) {
        let isTaken =
            settings.destination != .standardError && journal.send(JournalEntry(entry, program: program).bytes)
        // If the journal also reads standard error, it would receive the entry twice.
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
