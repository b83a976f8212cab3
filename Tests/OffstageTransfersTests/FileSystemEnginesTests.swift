// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageTransfers
import Synchronization
import Testing

/// The choice of an engine for a request, by the file systems of its files.
@Suite struct FileSystemEnginesTests {
    /// Records its calls, and reports what the test wants.
    private final class Recorder: SingleEngine {
        let name: Int
        let deliver: FileSystemEngines.Deliver
        private let told: Told
        /// Whether it does not respond.
        let hangs = Atomic<Bool>(false)
        private let isAsked = Atomic<Bool>(false)

        init(name: Int, told: Told, deliver: @escaping FileSystemEngines.Deliver) {
            (self.name, self.told, self.deliver) = (name, told, deliver)
        }

        func start(_ requests: [EngineRequest]) {
            for request in requests { told.add("\(name) starts \(request.id)") }
        }
        func stop(_ key: RequestKey) { told.add("\(name) stops \(key.id)") }
        func setRateLimit(_ key: RequestKey, bytesPerSecond: Int64?) { told.add("\(name) limits \(key.id)") }
        func setEnd(_ key: RequestKey, _ end: Int64) { told.add("\(name) shortens \(key.id)") }
        func ask() { isAsked.store(hangs.load(ordering: .relaxed), ordering: .relaxed) }
        var hasAnswered: Bool { !isAsked.load(ordering: .relaxed) }
        func shutDown() { told.add("\(name) ends") }
        func shutDown(within seconds: Double?) -> Bool {
            told.add("\(name) ends within \(seconds.map { $0 == 0 ? "no time" : "some time" } ?? "all time")")
            return name != 2
        }
    }

    private final class Told: Sendable {
        private let lines = Mutex<[String]>([])
        private let engines = Mutex<[Recorder]>([])

        func add(_ line: String) { lines.withLock { $0.append(line) } }
        func add(_ engine: Recorder) { engines.withLock { $0.append(engine) } }
        func take() -> [String] {
            lines.withLock { lines in
                defer { lines = [] }
                return lines
            }
        }
        func report(_ event: EngineEvent, by name: Int) { engines.withLock { $0[name] }.deliver([event]) }
        func hang(_ name: Int) { engines.withLock { $0[name] }.hangs.store(true, ordering: .relaxed) }
        var count: Int { engines.withLock { $0.count } }
    }

    private let told = Told()
    private let engines: FileSystemEngines

    init() throws {
        engines = try Self.engines(told, most: .max)
    }

    /// Creates engines on a system that allows so many.
    private static func engines(_ told: Told, most: Int) throws -> FileSystemEngines {
        try FileSystemEngines(
            homeFileSystem: 1,
            make: { (deliver) throws(EngineError) in
                guard told.count < most else { throw .noThread(11) }
                let engine = Recorder(name: told.count, told: told, deliver: deliver)
                told.add(engine)
                return engine
            },
            deliver: { events in told.add("reported \(events.count)") }
        )
    }

    private func request(_ id: Int64, on fileSystems: UInt64...) throws -> EngineRequest {
        let spec = TransferSpec(
            direction: .download(.init(path: "/a")),
            url: try RequestURL("http://localhost/"),
            owner: "test"
        )
        let id = TransferID(rawValue: id)
        var request = EngineRequest(id: id, attempt: 1, spec: spec, fileDescriptor: 3, filePath: "/a")
        request.fileSystems = fileSystems
        return request
    }

    @Test func `files of the daemon's own file system share the first engine`() throws {
        engines.start([try request(1, on: 1), try request(2)])
        engines.stop(try request(2).key)
        #expect(told.take() == ["0 starts 1", "0 starts 2", "0 stops 2"])
        #expect(told.count == 1)
    }

    @Test func `each other file system has one of its own, which hears of its requests alone`() throws {
        let (one, two, three) = (try request(1, on: 7), try request(2, on: 8), try request(3, on: 7))
        engines.start([one, two, three])
        engines.setRateLimit(two.key, bytesPerSecond: 5)
        engines.setEnd(three.key, 10)
        engines.stop(one.key)
        #expect(
            told.take() == [
                "1 starts 1", "2 starts 2", "1 starts 3", "2 limits 2", "1 shortens 3", "1 stops 1",
            ]
        )
    }

    @Test func `a form with one file elsewhere is sent from there`() throws {
        engines.start([try request(1, on: 1, 9)])
        #expect(told.take() == ["1 starts 1"])
    }

    @Test func `a form with files on two others is sent from neither of theirs, nor with other pairs`() throws {
        engines.start([try request(1, on: 7), try request(2, on: 8), try request(3, on: 8, 1, 7)])
        #expect(told.take() == ["1 starts 1", "2 starts 2", "3 starts 3"])
        engines.start([try request(4, on: 7, 8), try request(5, on: 7, 10)])
        #expect(told.take() == ["3 starts 4", "4 starts 5"])
    }

    @Test func `an engine that gives no sign of life for a while is stalled with its transfers`() throws {
        engines.start([try request(1, on: 7), try request(2, on: 8), try request(3, on: 7), try request(4, on: 1)])
        #expect(engines.stalled(at: 100).isEmpty)
        told.hang(1)
        #expect(engines.stalled(at: 105).isEmpty)
        #expect(engines.stalled(at: 119).isEmpty)
        #expect(engines.stalled(at: 120) == [TransferID(rawValue: 1), TransferID(rawValue: 3)])
    }

    @Test func `where all have something to do, one that is stalled gets nothing more`() throws {
        let many = try (1...Int64(FileSystemEngines.most)).map { try request($0, on: 100 + UInt64($0)) }
        engines.start(many)
        engines.start([try request(60, on: 102)])
        told.hang(1)
        for uptime in [0.0, 20, 40] { _ = engines.stalled(at: uptime) }
        _ = told.take()
        engines.start([try request(61, on: 400)])
        #expect(told.take() == ["3 starts 61"])
    }

    @Test func `what an engine reports is passed on, and a request that has ended is forgotten`() throws {
        let one = try request(1, on: 7)
        engines.start([one])
        told.report(.released(one.key), by: 1)
        engines.stop(one.key)
        #expect(told.take() == ["1 starts 1", "reported 1", "0 stops 1"])
    }

    @Test func `beyond the most, an engine without requests changes its file system`() throws {
        let many = try (1...Int64(FileSystemEngines.most)).map { try request($0, on: 100 + UInt64($0)) }
        engines.start(many)
        #expect(told.count == 1 + FileSystemEngines.most)
        told.report(.ended(many[4].key, .failed(.init(.connectionLost, "it broke")), reached: 0), by: 5)
        _ = told.take()
        engines.start([try request(50, on: 300), try request(51, on: 300)])
        #expect(told.take() == ["5 starts 50", "5 starts 51"])
        // All engines are busy: the first of the least busy ones takes it.
        engines.start([try request(52, on: 301)])
        #expect(told.take() == ["1 starts 52"])
        #expect(told.count == 1 + FileSystemEngines.most)
    }

    @Test func `if the system allows no thread, the first engine does it`() throws {
        let told = Told()
        let engines = try Self.engines(told, most: 1)
        engines.start([try request(1, on: 7)])
        engines.stop(try request(1).key)
        #expect(told.take() == ["0 starts 1", "0 stops 1"])
    }

    @Test func `a stop tells all, waits for the daemon's own, and not long for the others`() throws {
        engines.start([try request(1, on: 7), try request(2, on: 8)])
        _ = told.take()
        #expect(!engines.shutDown(within: nil))
        #expect(
            told.take() == [
                "1 ends within no time", "2 ends within no time", "0 ends within all time", "1 ends within some time",
                "2 ends within some time",
            ]
        )
    }
}
