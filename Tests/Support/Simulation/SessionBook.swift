// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import FoundationEssentials
import Glibc
import OffstageCore
import OffstageProtocol

/// The background session of an app: the tasks that it has handed over, and the ends that its delegate has received.
///
/// A task is handed over once the app has written it into its journal, whether or not the daemon lives to read it. From
/// then on its end must come, and after it was acknowledged it must never come over a later connection.
///
/// Belongs to the simulation's single thread.
final class SessionBook {
    private enum Purpose {
        case upload(url: String, bytes: [UInt8], path: String)
        case download(url: String)
    }

    private let app: String
    private let world: SimulatedWorld
    private let servers: SimulatedServers
    private var client: SimulatedClient?
    private var journal: Int32 = -1
    private var sequence: UInt64 = 0
    private var downloads = ""
    private var isOpen = false
    /// The number of connections of all processes so far.
    private var connection = 0
    private var nextTask = 1
    private var handed: [Int: Purpose] = [:]
    /// The connection over which each end was acknowledged.
    private var acknowledged: [TransferID: Int] = [:]
    /// The ends delivered in this process.
    private var told: Set<TransferID> = []
    private var isLooking = false
    /// Called once all kept ends have been delivered.
    var handledLater: (() -> Void)?

    init(app: String, _ world: SimulatedWorld, _ servers: SimulatedServers) {
        self.app = app
        self.world = world
        self.servers = servers
    }

    var outstanding: [String] { handed.keys.sorted().map { "task \($0)" } }

    func hasNewProcess() {
        if journal >= 0 { close(journal) }
        (journal, client, isOpen, isLooking, handledLater) = (-1, nil, false, false, nil)
        told = []
    }

    // MARK: The connection

    func open(_ client: SimulatedClient) {
        self.client = client
        (isOpen, isLooking) = (false, false)
        connection += 1
        client.heard = { [self] frame in
            guard frame.name == SessionEvent.name else { return }
            heard(SimulatedWorld.must { try WireCoding.decode(SessionEvent.self, from: frame.payload) })
        }
        client.ask(OpenApp()) { [self] answer, descriptor in
            guard case .success(let reply) = answer, descriptor >= 0 else { return client.close() }
            if journal >= 0 { close(journal) }
            (journal, sequence, downloads) = (descriptor, 0, reply.downloads)
            client.ask(OpenSession(identifier: SimulatedApp.sessionIdentifier)) { [self] answer, _ in
                guard case .success(let reply) = answer else { return client.close() }
                if reply.highestTask >= nextTask { world.problem("\(app) has a task \(reply.highestTask)") }
                isOpen = true
                look()
            }
        }
    }

    private func heard(_ event: SessionEvent) {
        switch event {
        case .ended(let end): ended(end)
        case .missed: look()
        case .refused(let key, let failure): world.problem("\(app)'s task \(key.task) was refused: \(failure.detail)")
        case .committed, .progress: break
        case .question(_, let key, _): world.problem("\(app) is asked about its task \(key.task)")
        }
    }

    /// Fetches the kept ends.
    func look(after last: TransferID? = nil) {
        guard isOpen, let client, client.isOpen, !isLooking else { return }
        isLooking = true
        let request = ListPendingEnds(identifier: SimulatedApp.sessionIdentifier, after: last)
        client.ask(request) { [self] answer, _ in
            isLooking = false
            guard case .success(let page) = answer else { return }
            for end in page.ends { ended(end) }
            if page.hasMore, let last = page.ends.last { return look(after: last.id) }
            guard page.isWithheld != true else { return }
            handledLater?()
            handledLater = nil
        }
    }

    // MARK: Ends

    private func ended(_ end: SessionTaskEnd) {
        if let before = acknowledged[end.id], before < connection {
            return world.problem("\(app)'s end \(end.id.rawValue) came again after it was acknowledged")
        }
        guard told.insert(end.id).inserted, acknowledged[end.id] == nil else { return }
        guard let purpose = handed[end.key.task] else {
            return world.problem("\(app) has never handed over its task \(end.key.task)")
        }
        guard case .completed(let answer) = end.outcome else {
            return world.problem("\(app)'s task \(end.key.task) has ended: \(end.outcome)")
        }
        check(end, purpose, answer)
        if case .download = purpose { guard append(.fileTaken(end.id)) else { return } }
        guard append(.acknowledge(end.id)) else { return }
        acknowledged[end.id] = connection
        handed[end.key.task] = nil
        world.count("ends told to apps")
        ring()
    }

    private func check(_ end: SessionTaskEnd, _ purpose: Purpose, _ answer: Answer) {
        // In a background session every complete answer ends a task.
        guard (200..<300).contains(answer.status) else { return }
        switch purpose {
        case .upload(let url, let bytes, let path):
            let hasArrived = servers.received[url]?.bytes == bytes
            if !hasArrived { world.problem("\(app)'s upload \(end.key.task) has not arrived") }
            unlink(path)
        case .download(let url):
            if end.isFileTaken { return }
            let path = downloads + "/\(end.key.task)"
            let found = FileManager.default.contents(atPath: path).map(Array.init)
            if found != SimulatedServers.content(of: url) {
                world.problem("\(app)'s download \(end.key.task) is not what it should be: \(found?.count ?? -1)")
            }
        }
    }

    // MARK: Handing over

    func handOver() {
        guard handed.count < 8, isOpen, journal >= 0 else { return }
        for _ in 0..<(1 + world.number(2)) {
            let task = nextTask
            let (spec, purpose) = make(task)
            guard append(.submit(spec)) else { break }
            nextTask += 1
            handed[task] = purpose
            world.count("tasks handed over by apps")
        }
        ring()
    }

    private func make(_ task: Int) -> (TransferSpec, Purpose) {
        SimulatedWorld.must {
            let direction: TransferSpec.Direction
            let (url, purpose): (String, Purpose)
            if world.chance(2) {
                let length = world.number(4000)
                url = "\(SimulatedServers.downloads)\(length)-\(task)-\(app)"
                purpose = .download(url: url)
                direction = .download(.init(path: downloads + "/\(task)", overwrites: true))
            } else {
                url = "\(SimulatedServers.uploads)\(app)/\(task)"
                let (source, bytes) = world.file("\(app)-\(task)", length: world.number(4000))
                purpose = .upload(url: url, bytes: bytes, path: source.path)
                direction = .upload(source)
            }
            var spec = TransferSpec(direction: direction, url: try RequestURL(url), owner: app)
            spec.sessionTask = SessionTaskKey(session: SimulatedApp.sessionIdentifier, task: task)
            spec.statusPolicy = .everyResponseIsFinal
            return (spec, purpose)
        }
    }

    // MARK: The journal

    /// Writes a record, unless the daemon has sealed the journal.
    private func append(_ entry: JournalEntry) -> Bool {
        var status = stat()
        guard journal >= 0, flock(journal, LOCK_EX | LOCK_NB) == 0 else { return false }
        defer { flock(journal, LOCK_UN) }
        guard fstat(journal, &status) == 0, status.st_mode & S_IWUSR != 0 else { return false }
        let record = SimulatedWorld.must { try JournalRecord(entry, sequence: sequence + 1) }.encoded()
        guard write(journal, record, record.count) == record.count else { return false }
        sequence += 1
        return true
    }

    private func ring() {
        if let client, client.isOpen { client.tell(Ring.name) }
    }
}
