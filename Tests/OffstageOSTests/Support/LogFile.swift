// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageOS
import OffstageTestSupport

/// A file that a separate center writes to as if it were standard error, without a journal.
final class LogFile {
    let directory: TemporaryDirectory
    let center: LogCenter
    private let path: String
    private let descriptor: Int32

    init(_ settings: LogSettings = LogSettings(), journal: String? = nil, stream: Bool = false) throws {
        directory = try TemporaryDirectory()
        path = directory.path("errors")
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw TestError.system("\(path) cannot be made") }
        var status = stat()
        fstat(descriptor, &status)
        center = LogCenter(
            settings: settings,
            journal: JournalSocket(path: journal ?? directory.path("no-journal")),
            standardError: StandardError(descriptor: descriptor),
            journalStream: stream ? "\(status.st_dev):\(status.st_ino)" : nil
        )
    }

    deinit { close(descriptor) }

    /// A log that is written to the file.
    func log(_ subsystem: String = "sub", _ category: String = "cat") -> OSLog {
        OSLog(subsystem: subsystem, category: category, center: center)
    }

    /// The written text.
    var text: String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = read(file, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    /// The written text, without the parts that vary between runs: `error sub:cat: message`.
    var messages: [String] {
        text.split(separator: "\n").map { line in
            line.split(separator: " ", maxSplits: 3).dropFirst(3).joined()
        }
    }
}
