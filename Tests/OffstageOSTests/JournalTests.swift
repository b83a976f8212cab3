// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageOS
import OffstageTestSupport
import Testing

/// Entries on a real socket.
@Suite struct JournalTests {
    @Test func `an entry gets to the journal with its fields`() throws {
        let directory = try TemporaryDirectory()
        let journal = try FakeJournal(path: directory.path("socket"))
        let file = try LogFile(journal: journal.path)
        let logger = Logger(file.log("com.example", "net"))
        let line = #line + 1
        logger.warning("\(4) of \("secret")\nand more")
        let entry = try #require(try journal.next())
        #expect(entry.fields["PRIORITY"] == "4" && entry.fields["MESSAGE"] == "4 of <private>\nand more")
        #expect(entry.fields["SUBSYSTEM"] == "com.example" && entry.fields["CATEGORY"] == "net")
        #expect(entry.fields["SYSLOG_IDENTIFIER"]?.isEmpty == false && !entry.isSealedFile)
        #expect(entry.fields["CODE_FILE"] == "OffstageOSTests/JournalTests.swift")
        #expect(entry.fields["CODE_LINE"] == "\(line)")
        #expect(try journal.next() == nil && file.text.isEmpty)
    }

    @Test func `a large entry gets there in a sealed file`() throws {
        let directory = try TemporaryDirectory()
        let journal = try FakeJournal(path: directory.path("socket"))
        let file = try LogFile(journal: journal.path)
        let message = String(repeating: "0123456789\n", count: 200_000)
        Logger(file.log()).error("\(message, privacy: .public)end")
        let entry = try #require(try journal.next())
        #expect(entry.isSealedFile && entry.fields["MESSAGE"] == message + "end" && entry.fields["PRIORITY"] == "3")
        #expect(file.text.isEmpty)
    }

    @Test func `without a journal an entry is a line on standard error`() throws {
        let file = try LogFile()
        let logger = Logger(file.log("com.example", "net"))
        logger.info("not kept")
        logger.error("it broke")
        logger.log(level: .fault, "badly\ntwice")
        os_log("%{public}@ %@", log: file.log(), type: .error, "shown", "secret")
        #expect(
            file.messages == [
                "error com.example:net: it broke", "fault com.example:net: badly\\ntwice",
                "error sub:cat: shown <private>",
            ]
        )
        #expect(file.text.contains("[\(getpid())] "))
    }

    @Test func `a socket that nobody reads, and one that is full, are no journal`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("socket")
        var journal: FakeJournal? = try FakeJournal(path: path)
        let file = try LogFile(journal: path)
        let logger = Logger(file.log())
        var sent = 0
        while file.text.isEmpty, sent < 100_000 {
            logger.error("\(sent)")
            sent += 1
        }
        #expect(file.messages == ["error sub:cat: \(sent - 1)"])
        while try journal?.next() != nil {}
        logger.error("room again")
        #expect(try journal?.next()?.fields["MESSAGE"] == "room again")
        journal = nil
        logger.error("gone")
        #expect(file.messages.last == "error sub:cat: gone")
        unlink(path)
        let next = try FakeJournal(path: path)
        logger.error("back")
        #expect(try next.next()?.fields["MESSAGE"] == "back" && file.messages.count == 2)
    }

    @Test func `a process gets its entries to the journal, even when it closes what it does not know`() throws {
        let directory = try TemporaryDirectory()
        let journal = try FakeJournal(path: directory.path("socket"))
        let app = try ChildProcess.run(BuiltProducts.path("LogApp"), ["journal", journal.path, directory.path("file")])
        #expect(app.isSuccess && app.errors.isEmpty, "\(app)")
        let entries = try [journal.next(), journal.next()]
        #expect(entries.map { $0?.fields["MESSAGE"] } == ["one", "two"])
        #expect(entries.allSatisfy { $0?.fields["SYSLOG_IDENTIFIER"] == "LogApp" })
        // The number of the log's socket now belongs to a foreign file: nothing of the log was written to it.
        #expect(TestFiles.size(directory.path("file")) == 0)
    }

    @Test func `both places, one place, and a journal that reads both`() throws {
        let directory = try TemporaryDirectory()
        let journal = try FakeJournal(path: directory.path("socket"))
        func places(_ destination: LogSettings.Destination, stream: Bool = false) throws -> [Bool] {
            let file = try LogFile(LogSettings(destination: destination), journal: journal.path, stream: stream)
            Logger(file.log()).error("m")
            return [try journal.next() != nil, !file.text.isEmpty]
        }
        #expect(try places(.journal) == [true, false])
        #expect(try places(.standardError) == [false, true])
        #expect(try places(.both) == [true, true])
        #expect(try places(.both, stream: true) == [true, false])
    }

    @Test func `where the journal reads standard error and its socket is not there, lines have a priority`() throws {
        let file = try LogFile(stream: true)
        Logger(file.log("com.example", "net")).error("it broke")
        #expect(file.text == "<3>com.example:net: it broke\n")
    }

    @Test func `a path that is no socket's is no journal`() throws {
        for path in ["", "/", "/dev/null", String(repeating: "x", count: 200)] {
            #expect(!JournalSocket(path: path).send(Array("MESSAGE=m\n".utf8)))
        }
    }

    @Test func `errno is as it was`() throws {
        let file = try LogFile()
        errno = 77
        Logger(file.log()).error("m")
        #expect(errno == 77)
    }
}
