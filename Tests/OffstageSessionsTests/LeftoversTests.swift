// SPDX-License-Identifier: Apache-2.0
import EngineTestSupport
import Glibc
import OffstageCore
import OffstageRuntime
import OffstageTestSupport
import Testing

/// Files that apps and daemons may have left behind: which of them the queue is asked to delete, and which never.
@Suite struct LeftoversTests {
    private var stage: SessionStage

    init() throws { stage = try SessionStage() }

    private static func body(_ process: Int32, _ name: String) -> String {
        ProcessIdentity(number: process, startedAt: 1).spoolPrefix + name
    }

    private func write(_ names: [String], in folder: String) throws {
        try? TestFiles.makeDirectory(folder)
        for name in names { try TestFiles.write("x", to: folder + "/" + name) }
    }

    private func sweeps() throws -> [StandInQueue.Sweep] {
        let queue = stage.queue
        return try stage.engine.run { await queue.sweeps }
    }

    /// The names of bodies that the queue was asked to delete.
    private func swept() throws -> Set<String> {
        try sweeps().filter { $0.folder == stage.engine.paths.snapshots }.reduce(into: []) { $0.formUnion($1.names) }
    }

    @Test mutating func `bodies of processes that have ended are looked at, and those of living ones are not`() throws {
        let (dead, living) = (Self.body(7, "a"), Self.body(8, "b"))
        try write([dead, living, "snapshot-of-the-daemon", "body--5-1-x"], in: stage.engine.paths.snapshots)
        stage.world.ended = [7]
        stage = try stage.next()
        stage.engine.settle()
        #expect(try swept() == [dead])
        // An unfinished task keeps its body.
        #expect(try sweeps().allSatisfy { !$0.isAnyKind })
    }

    @Test mutating func `the body of a process that connects is left alone`() throws {
        let body = Self.body(1, "a")
        try stage.connect(1)
        try write([body], in: stage.engine.paths.snapshots)
        stage.engine.advance(by: 60)
        #expect(try swept().isEmpty)
    }

    @Test func `once a process has ended its bodies are looked at, after its journal was taken in`() throws {
        let body = Self.body(1, "a")
        let journal = try stage.connect(1, session: "s")
        try write([body], in: stage.engine.paths.snapshots)
        try journal.resume(1, of: "s")
        stage.hangUp(1)
        // Its socket is closed some time before it ends.
        stage.engine.advance(by: 1)
        #expect(try swept().isEmpty)
        stage.world.ended = [1]
        stage.engine.advance(by: 2)
        #expect(try swept() == [body])
        #expect(try stage.tasks() == [1])
    }

    @Test func `bodies whose journal is not in the store yet are left alone, whoever else has ended`() throws {
        let journal = try stage.connect(1, session: "s")
        try stage.connect(2)
        try write([Self.body(1, "a"), Self.body(2, "b")], in: stage.engine.paths.snapshots)
        try journal.resume(1, of: "s")
        // A writer holds its lock: the journal cannot be closed in that time.
        try journal.lock()
        stage.world.ended = [1, 2]
        stage.hangUp(1)
        stage.hangUp(2)
        stage.engine.advance(by: 20)
        #expect(try swept() == [Self.body(2, "b")])
        try journal.unlock()
        stage.engine.advance(by: 2)
        #expect(try swept() == [Self.body(1, "a"), Self.body(2, "b")])
    }

    @Test func `a process that comes back is no longer waited for`() throws {
        let body = Self.body(1, "a")
        try stage.connect(1)
        try write([body], in: stage.engine.paths.snapshots)
        stage.hangUp(1)
        try stage.connect(1)
        stage.engine.advance(by: 60)
        stage.world.ended = [1]
        #expect(try swept().isEmpty)
    }

    @Test mutating func `downloads in an app's folder are looked at, and nothing else in it`() throws {
        let folder = stage.engine.paths.downloads + "/" + AppIdentity.folderName(for: SessionStage.app)
        try write(["CFNetworkDownload_s1.tmp", "notes.txt"], in: folder)
        stage = try stage.next()
        stage.engine.settle()
        let sweep = try sweeps().filter { $0.folder == folder }
        #expect(sweep == [.init(names: ["CFNetworkDownload_s1.tmp"], folder: folder, isAnyKind: true)])
    }

    @Test mutating func `nothing is looked at before the journals of the former daemon are in the store`() throws {
        let body = Self.body(1, "a")
        let journal = try stage.connect(1, session: "s")
        try journal.resume(1, of: "s")
        try write([body], in: stage.engine.paths.snapshots)
        stage.world.ended = [1]
        stage = try stage.next { $0.disk.isFull = true }
        stage.engine.advance(by: 60)
        #expect(try swept().isEmpty)
        stage.engine.disk.isFull = false
        stage.engine.advance(by: 2)
        #expect(try stage.tasks() == [1])
        #expect(try swept() == [body])
    }

    private func snapshotSweeps() throws -> Int {
        let queue = stage.queue
        return try stage.engine.run { await queue.snapshotSweeps }
    }

    @Test func `snapshots are swept once, at the start`() throws {
        stage.engine.advance(by: 3600)
        #expect(try snapshotSweeps() == 1)
    }

    /// A memory of enough crashes during a journal's reading to set it aside.
    private func memory(ofReading journal: String) -> CrashMemory {
        var containment = CrashContainment()
        for number in 0...CrashContainment.crashesUntilAlone {
            containment.died(
                DaemonDeath(
                    at: stage.engine.clock.now(),
                    version: "1",
                    signal: 4,
                    thread: "worker",
                    place: "offstaged+0x\(number)",
                    work: DaemonWork(.journal, .takingIn, name: journal),
                    underWay: []
                )
            )
        }
        return CrashMemory(containment)
    }

    @Test mutating func `while a journal is set aside after crashes, what its tasks may need stays`() throws {
        let body = Self.body(1, "a")
        let journal = try stage.connect(1, session: "s")
        try journal.resume(1, of: "s")
        try write([body, Self.body(7, "b")], in: stage.engine.paths.snapshots)
        let downloads = stage.engine.paths.downloads + "/" + AppIdentity.folderName(for: SessionStage.app)
        try write(["CFNetworkDownload_s1.tmp"], in: downloads)
        let name = try #require(stage.journalFiles.first)
        let crashes = memory(ofReading: name)
        stage.world.ended = [1, 7]
        stage = try stage.next { $0.crashes = crashes }
        stage.engine.advance(by: 60)
        // Nor when another process ends.
        try stage.connect(2)
        stage.hangUp(2)
        stage.world.ended = [1, 2, 7]
        stage.engine.advance(by: 60)
        #expect(try sweeps().isEmpty)
        #expect(try snapshotSweeps() == 0)
        #expect(stage.journalFiles == [name])
        // The next daemon reads it again.
        stage = try stage.next()
        stage.engine.advance(by: 60)
        #expect(try stage.tasks() == [1])
        #expect(try swept() == [body, Self.body(7, "b")])
        #expect(try snapshotSweeps() == 1)
    }

    @Test mutating func `while a journal that cannot be taken in lies aside, bodies stay with it`() throws {
        let body = Self.body(1, "a")
        try write([body], in: stage.engine.paths.snapshots)
        try TestFiles.write("records", to: stage.engine.paths.journals + "/0123456789abcdef.journal")
        stage.world.ended = [1]
        for _ in 1...2 {
            stage = try stage.next()
            stage.engine.advance(by: 60)
            #expect(stage.journalFiles == ["0123456789abcdef.journal.damaged"])
            #expect(try sweeps().isEmpty)
            #expect(try snapshotSweeps() == 0)
        }
        try #require(unlink(stage.engine.paths.journals + "/0123456789abcdef.journal.damaged") == 0)
        stage = try stage.next()
        stage.engine.advance(by: 60)
        #expect(try swept() == [body])
    }
}
