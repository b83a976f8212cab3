// SPDX-License-Identifier: Apache-2.0
import EngineTestSupport
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageTestSupport
import Testing

/// Hand-over journals: leftovers of former daemons, damage, and records that cannot be accepted.
@Suite struct JournalIntakeTests {
    private var stage: SessionStage

    init() throws { stage = try SessionStage() }

    @Test mutating func `a journal that a former daemon left is taken in without its app, and deleted`() throws {
        let journal = try stage.connect(1, session: "s")
        for task in 1...3 { try journal.resume(task, of: "s") }
        stage = try stage.next()
        stage.engine.settle()
        #expect(try stage.tasks() == [1, 2, 3])
        #expect(stage.journalFiles.isEmpty)
        #expect(try stage.sentences().isEmpty)
    }

    @Test mutating func `what was taken in before is not taken in again`() throws {
        let journal = try stage.connect(1, session: "s")
        for task in 1...3 { try journal.resume(task, of: "s") }
        stage.ring(1)
        try journal.resume(4, of: "s")
        stage = try stage.next()
        stage.engine.settle()
        #expect(try stage.tasks() == [1, 2, 3, 4])
        #expect(try stage.transferCount() == 4)
    }

    @Test func `a journal that is read to its end is emptied, so that it does not grow`() throws {
        let journal = try stage.connect(1, session: "s")
        for task in 1...600 { try journal.resume(task, of: "s") }
        stage.ring(1)
        #expect(journal.length == 0)
        try journal.resume(601, of: "s")
        stage.ring(1)
        #expect(try stage.tasks().count == 601)
        #expect(stage.events.last == .committed(sequence: 601))
    }

    @Test func `a journal whose connection has ended is closed to whoever opens it, and deleted`() throws {
        let journal = try stage.connect(1, session: "s")
        try journal.resume(1, of: "s")
        stage.hangUp(1)
        #expect(journal.isSealed)
        #expect(try stage.tasks() == [1])
        #expect(stage.journalFiles.isEmpty)
    }

    @Test func `bytes that are no record are left out, what follows is taken in, and people are told`() throws {
        let journal = try stage.connect(1, session: "s")
        try journal.resume(1, of: "s")
        var bytes = try journal.record(.submit(journal.spec(2, of: "s")))
        bytes[0] ^= 0xff
        try journal.write(bytes)
        try journal.resume(3, of: "s")
        stage.ring(1)
        #expect(try stage.tasks() == [1, 3])
        let sentences = try stage.sentences()
        #expect(sentences.count == 1)
        #expect(sentences.first?.contains("\(bytes.count) bytes that are not a complete record") == true)
        #expect(stage.engine.records.contains { $0.level == .error && $0["bytes"] == "\(bytes.count)" })
    }

    @Test func `a record whose text is damaged costs that record alone`() throws {
        let journal = try stage.connect(1, session: "s")
        try journal.resume(1, of: "s")
        var bytes = try journal.record(.submit(journal.spec(2, of: "s")))
        bytes[bytes.count / 2] ^= 0xff
        try journal.write(bytes)
        try journal.resume(3, of: "s")
        stage.ring(1)
        #expect(try stage.tasks() == [1, 3])
        #expect(try stage.sentences().first?.contains("what was handed over cannot be read") == true)
        #expect(stage.events.last == .committed(sequence: 3))
    }

    @Test mutating func `half a record at the end, as a power loss leaves it, costs that record alone`() throws {
        let journal = try stage.connect(1, session: "s")
        try journal.resume(1, of: "s")
        let bytes = try journal.record(.submit(journal.spec(2, of: "s")))
        try journal.write(Array(bytes.prefix(bytes.count / 2)))
        stage = try stage.next()
        stage.engine.settle()
        #expect(try stage.tasks() == [1])
        #expect(stage.journalFiles.isEmpty)
        #expect(try stage.sentences().count == 1)
    }

    @Test func `a task that is not the app's own reaches it as refused, and the others are taken in`() throws {
        let journal = try stage.connect(1, session: "s")
        try journal.resume(1, of: "s")
        var foreign = try journal.spec(2, of: "s")
        foreign.owner = "org.example.other"
        try journal.append(.submit(foreign))
        try journal.resume(3, of: "s")
        stage.ring(1)
        #expect(stage.refusals.map(\.key) == [SessionTaskKey(session: "s", task: 2)])
        #expect(stage.refusals.first?.failure.detail.contains("org.example.other") == true)
        #expect(try stage.tasks() == [1, 3])
        #expect(stage.events.last == .committed(sequence: 3))
    }

    @Test func `a download to a file that is not the app's is refused`() throws {
        let journal = try stage.connect(1, session: "s")
        var spec = try journal.spec(1, of: "s")
        spec.direction = .download(.init(path: "/home/somebody/.profile"))
        try journal.append(.submit(spec))
        stage.ring(1)
        #expect(stage.refusals.count == 1)
        #expect(try stage.transferCount() == 0)
    }

    @Test func `a task that the store refuses for good reaches its app as refused`() throws {
        let journal = try stage.connect(1, session: "s")
        let queue = stage.queue
        try stage.engine.run { await queue.refuse(2) }
        for task in 1...3 { try journal.resume(task, of: "s") }
        stage.ring(1)
        #expect(stage.refusals.map(\.key.task) == [2])
        #expect(stage.refusals.first?.failure.code == .internalError)
        #expect(try stage.tasks() == [1, 3])
    }

    @Test func `while the disk is full the app is told of nothing, and then of everything`() throws {
        let journal = try stage.connect(1, session: "s")
        stage.engine.disk.isFull = true
        for task in 1...3 { try journal.resume(task, of: "s") }
        stage.ring(1)
        stage.engine.advance(by: 60)
        #expect(stage.events.isEmpty)
        #expect(journal.length > 0)
        stage.engine.disk.isFull = false
        stage.engine.advance(by: 2)
        #expect(stage.events == [.committed(sequence: 3)])
        #expect(try stage.tasks() == [1, 2, 3])
    }

    @Test func `while the disk is full no app gets a journal that the next daemon would not know`() throws {
        stage.engine.disk.isFull = true
        let center = stage.center
        let begun = stage.engine.begin { try await center.openApp(connection: 1, process: 1, pidfd: -1).reply }
        stage.engine.advance(by: 30)
        #expect(!begun.hasEnded)
        stage.engine.disk.isFull = false
        stage.engine.advance(by: 2)
        #expect(try begun.value()?.app == SessionStage.app)
    }

    @Test mutating func `a daemon that cannot read its store lets nobody in until it can`() throws {
        let journal = try stage.connect(1, session: "s")
        try journal.resume(1, of: "s")
        stage = try stage.next { $0.disk.isUnreadable = true }
        let center = stage.center
        let begun = stage.engine.begin { try await center.openApp(connection: 2, process: 2, pidfd: -1).reply }
        stage.engine.advance(by: 30)
        #expect(!begun.hasEnded)
        stage.engine.disk.isUnreadable = false
        stage.engine.advance(by: 2)
        #expect(begun.hasEnded)
        #expect(try stage.tasks() == [1])
    }

    @Test mutating func `a journal that is no file is set aside, and its app is told of the loss`() throws {
        try stage.connect(1, session: "s")
        let name = try #require(stage.journalFiles.first)
        let path = stage.engine.paths.journals + "/" + name
        #expect(unlink(path) == 0 && mkdir(path, 0o700) == 0)
        stage = try stage.next()
        stage.engine.settle()
        #expect(stage.journalFiles == [name + ".damaged"])
        #expect(try stage.sentences().first?.contains("is unusable") == true)
        // Its app can continue at once.
        try stage.connect(2, session: "s")
    }

    @Test mutating func `a journal that is gone is said once, and not looked for again`() throws {
        try stage.connect(1, session: "s")
        let name = try #require(stage.journalFiles.first)
        unlink(stage.engine.paths.journals + "/" + name)
        stage = try stage.next()
        stage.engine.settle()
        #expect(try stage.sentences().first?.contains("it is gone") == true)
        stage = try stage.next()
        stage.engine.settle()
        #expect(try stage.sentences().isEmpty)
    }

    // MARK: Journals that the store has no entry of

    /// Destroys the store page that holds a journal's entry, once the daemon has ended.
    private func destroyEntry(of name: String) throws {
        stage.engine.cutOff()
        let path = stage.engine.paths.store
        var bytes = try TestFiles.read(path)
        let place = try #require(bytes.firstRange(of: Array(name.utf8)))
        let page = place.lowerBound / 4096 * 4096
        bytes.replaceSubrange(page..<page + 4096, with: [UInt8](repeating: 0x5a, count: 4096))
        try TestFiles.write(bytes, to: path)
    }

    @Test mutating func `a journal whose entry was on a damaged page is kept, and people are told`() throws {
        let journal = try stage.connect(1, session: "s")
        try journal.resume(1, of: "s")
        stage.ring(1)
        try journal.resume(2, of: "s")
        let name = try #require(stage.journalFiles.first)
        let path = stage.engine.paths.journals + "/" + name
        let bytes = try TestFiles.read(path)
        try destroyEntry(of: name)
        stage = try stage.next()
        stage.engine.settle()
        #expect(stage.engine.opened.notices.first?.contains("not all journals could be read") == true)
        #expect(stage.journalFiles == [name + ".damaged"])
        #expect(try TestFiles.read(path + ".damaged") == bytes)
        #expect(try stage.sentences().first?.contains("\(path).damaged") == true)
        #expect(stage.engine.records.contains { $0.level == .error && $0["kept"] == path + ".damaged" })
        // A task that was imported before is not carried out a second time.
        #expect(try stage.tasks() == [1])
        // From now on, its app hands over through another journal.
        #expect(journal.isSealed)
        try stage.connect(2, session: "s").resume(3, of: "s")
        stage.ring(2)
        #expect(try stage.tasks() == [1, 3])
    }

    @Test mutating func `a journal beside a store of which nothing can be read is kept`() throws {
        let journal = try stage.connect(1, session: "s")
        try journal.resume(1, of: "s")
        let name = try #require(stage.journalFiles.first)
        stage.engine.cutOff()
        try TestFiles.write("no database", to: stage.engine.paths.store)
        stage = try stage.next()
        stage.engine.settle()
        #expect(stage.engine.opened.notices.first?.contains("begins empty") == true)
        #expect(stage.journalFiles == [name + ".damaged"])
        #expect(try stage.sentences().count == 1)
        stage = try stage.next()
        stage.engine.settle()
        #expect(stage.journalFiles == [name + ".damaged"])
        #expect(try stage.sentences().isEmpty)
    }

    @Test mutating func `an empty journal whose entry is lost is closed to its app, and deleted`() throws {
        let journal = try stage.connect(1, session: "s")
        let name = try #require(stage.journalFiles.first)
        try destroyEntry(of: name)
        stage = try stage.next()
        stage.engine.settle()
        #expect(journal.isSealed)
        #expect(stage.journalFiles.isEmpty)
        #expect(try stage.sentences().isEmpty)
    }

    @Test mutating func `a journal that was never given to an app is deleted, and one that is completely in the store`()
        throws
    {
        let folder = stage.engine.paths.journals
        try TestFiles.write("", to: folder + "/0123456789abcdef.journal")
        let finished = folder + "/fedcba9876543210.journal"
        try TestFiles.write("records", to: finished)
        // As left by a daemon that ends between the last commit and the deletion.
        #expect(chmod(finished, 0o500) == 0)
        stage = try stage.next()
        stage.engine.settle()
        #expect(stage.journalFiles.isEmpty)
        #expect(try stage.sentences().isEmpty)
    }

    @Test(arguments: [false, true])
    mutating func `a daemon that is cut off as it forgets a journal leaves nothing aside`(isAfter: Bool) throws {
        let journal = try stage.connect(1, session: "s")
        try journal.resume(1, of: "s")
        stage.ring(1)
        stage.engine.disk.cutOff(at: StageDisk.Cut(commit: 1, isAfter: isAfter))
        stage.hangUp(1)
        #expect(stage.engine.isCut)
        #expect(stage.journalFiles.count == 1)
        stage = try stage.next()
        stage.engine.settle()
        #expect(stage.journalFiles.isEmpty)
        #expect(try stage.tasks() == [1])
        #expect(try stage.sentences().isEmpty)
    }

    @Test func `commands for tasks keep their place among what is handed over`() throws {
        let journal = try stage.connect(1, session: "s")
        let key = SessionTaskKey(session: "s", task: 1)
        try journal.resume(1, of: "s")
        try journal.append(.act(key, .suspend))
        try journal.append(.setPriority(key, 0.75))
        try journal.append(.cancelAll(session: "s"))
        try journal.resume(2, of: "s")
        stage.ring(1)
        let queue = stage.queue
        let commands = try stage.engine.run { await queue.commands }
        #expect(commands == [.suspend, .setPriority(0.75)])
        let cancelled = try stage.engine.run { await queue.cancelled }
        #expect(cancelled == ["s"])
        #expect(try stage.tasks() == [1, 2])
    }
}
