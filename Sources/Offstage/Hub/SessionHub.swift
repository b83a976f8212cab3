// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Foundation
import Glibc
import OffstageClient
import OffstageCore
import OffstageProtocol
import Synchronization

/// The state shared by the sessions of a process: their side of the link to the daemon, and one journal.
///
/// Safe to use from any thread. Records that must survive go through `append`, which returns once they are in the
/// journal.
final class SessionHub: Sendable {
    /// A request to the link's thread.
    enum Command: Sendable {
        case open(SessionCore)
        case close(SessionCore)
        /// More ended tasks can be delivered: fetch the next page of them.
        case pullEnds(SessionCore)
        case ring
        /// A caller waits for the connection.
        case connect
        case whenCommitted(JournalPosition, @Sendable (OffstageError?) -> Void)

        /// Whether a caller is waiting for the command to complete and needs a connection.
        fileprivate var isUrgent: Bool {
            switch self {
            case .open, .connect, .whenCommitted: true
            case .close, .pullEnds, .ring: false
            }
        }
    }

    /// The commands that the link's thread has not yet taken.
    private struct Commands: Sendable {
        var list: [Command] = []
        /// Whether any of them is urgent.
        var isUrgent = false
    }

    /// An entry in the journal's format.
    private struct Record: Sendable {
        var kind: JournalRecord.Kind
        var json: [UInt8]
    }

    /// The records kept until a journal accepts them.
    private struct Unsent: Sendable {
        var records: [Record] = []
        var isRetryDue = false
    }

    /// The state of the connection, for its waiters.
    private struct Standing {
        var app: OpenApp.Reply?
        /// The number of failed attempts.
        var failures = 0
        var lastFailure: OffstageError?
        var generation = 0
        /// The number of callers waiting for a newer journal.
        var waiting = 0
    }

    let link: AppLink
    let journal = JournalWriter()
    private let commands = Mutex(Commands())
    /// Requests that have not been written to a journal, in order.
    private let unsent = Mutex(Unsent())
    private let standing = NSCondition()
    // Guarded by `standing`.
    nonisolated(unsafe) private var state = Standing()

    private static let hubs = Mutex<[ObjectIdentifier: SessionHub]>([:])

    /// The hub for the daemon that the environment determines.
    static func shared(_ environment: [String: String]) -> SessionHub {
        let link = AppLink.shared(environment)
        return hubs.withLock { hubs in
            if let hub = hubs[ObjectIdentifier(link)] { return hub }
            let hub = SessionHub(link)
            hubs[ObjectIdentifier(link)] = hub
            link.add(HubLoop(hub))
            return hub
        }
    }

    private init(_ link: AppLink) { self.link = link }

    func send(_ command: Command) {
        let mustWake = commands.withLock { commands in
            defer {
                commands.list.append(command)
                commands.isUrgent = commands.isUrgent || command.isUrgent
            }
            return commands.list.isEmpty || command.isUrgent && !commands.isUrgent
        }
        if mustWake { link.wake(isUrgent: command.isUrgent) }
    }

    func takeCommands() -> [Command] {
        commands.withLock { commands in
            defer { commands = Commands() }
            return commands.list
        }
    }

    /// Writes an entry to the journal.
    ///
    /// Waits for a connection if there is no journal to write to. Not for the link's own thread.
    ///
    /// - Throws: why there is no connection, or why the journal cannot be written.
    @discardableResult
    func append(_ entry: JournalEntry) throws(OffstageError) -> JournalPosition {
        let record = try Self.record(entry)
        while true {
            switch journal.append(record.kind, record.json) {
            case .appended(let position, let mustRing):
                if mustRing { send(.ring) }
                return position
            case .sealed(let generation):
                try waitForJournal(after: generation)
            case .failed(let code):
                throw OffstageError(
                    .storeFailed,
                    "The hand-over journal cannot be written (\(String(cString: strerror(code)))): free some space."
                )
            }
        }
    }

    private static func record(_ entry: JournalEntry) throws(OffstageError) -> Record {
        let record: JournalRecord
        do {
            record = try JournalRecord(entry, sequence: 0)
        } catch {
            throw OffstageError(.internalError, "A task could not be encoded (\(error)): please report this.")
        }
        guard record.json.count + 17 <= JournalRecord.maximumLength else {
            throw OffstageError(.badRequest, "The request is too long to hand over: shorten its headers, or its form.")
        }
        return Record(kind: record.kind, json: record.json)
    }

    /// Writes a request about a task that the daemon has to the journal, after all requests handed over before.
    ///
    /// Waits for a connection like `append`. If there is none, the request is kept and written to the next journal, for
    /// as long as this process lives; a request that cannot be encoded is dropped. Not for the link's own thread.
    func hand(_ entry: JournalEntry) {
        guard let record = try? Self.record(entry) else { return }
        unsent.withLock { $0.records.append(record) }
        do throws(OffstageError) {
            while let generation = sendUnsent() { try waitForJournal(after: generation) }
        } catch {
            // The link's thread keeps trying to connect, and writes the request to the journal that it then receives.
        }
    }

    /// Writes the waiting requests to the journal, without waiting for one.
    ///
    /// - Returns: the generation of the sealed journal, if the requests have to wait for the next one.
    private func sendUnsent() -> Int? {
        self.unsent.withLock { unsent in
            var sent = 0
            defer { unsent.records.removeFirst(sent) }
            while sent < unsent.records.count {
                switch journal.append(unsent.records[sent].kind, unsent.records[sent].json) {
                case .appended(_, let mustRing):
                    if mustRing { send(.ring) }
                    sent += 1
                case .sealed(let generation): return generation
                case .failed:
                    // For example, the disk may be full, and nothing reports when it no longer is.
                    if !unsent.isRetryDue {
                        unsent.isRetryDue = true
                        DispatchQueue.global().asyncAfter(deadline: .now() + Self.pauseAfterFailure) { [self] in
                            self.unsent.withLock { $0.isRetryDue = false }
                            _ = sendUnsent()
                        }
                    }
                    return nil
                }
            }
            return nil
        }
    }

    private static let pauseAfterFailure: DispatchTimeInterval = .seconds(1)

    /// The app's identity and the location of its files. Waits for a connection if there has never been one.
    func app() throws(OffstageError) -> OpenApp.Reply {
        standing.lock()
        let app = state.app
        standing.unlock()
        if let app { return app }
        try waitForJournal(after: 0)
        return try self.app()
    }

    /// Waits until there is a newer journal or an attempt to get one has failed.
    private func waitForJournal(after generation: Int) throws(OffstageError) {
        standing.lock()
        defer { standing.unlock() }
        let failures = state.failures
        guard state.generation <= generation else { return }
        state.waiting += 1
        defer { state.waiting -= 1 }
        send(.connect)
        while state.generation <= generation {
            if state.failures > failures, let failure = state.lastFailure { throw failure }
            standing.wait()
        }
    }

    /// Waits until the daemon has committed a record.
    ///
    /// - Throws: why the daemon cannot be reached in the meantime; the record stays in the journal.
    func untilCommitted(_ position: JournalPosition) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            send(
                .whenCommitted(position) { error in
                    if let error { continuation.resume(throwing: error) } else { continuation.resume() }
                }
            )
        }
    }

    /// Whether a caller is waiting for a connection.
    var isAwaited: Bool {
        standing.lock()
        defer { standing.unlock() }
        return state.waiting > 0
    }

    /// Records a connection and its new journal; for the link's thread.
    func connected(_ app: OpenApp.Reply, generation: Int) {
        _ = sendUnsent()
        standing.lock()
        state.app = app
        state.generation = generation
        state.lastFailure = nil
        standing.broadcast()
        standing.unlock()
    }

    /// Records a failed attempt to connect; for the link's thread.
    func failed(_ error: OffstageError) {
        standing.lock()
        state.failures += 1
        state.lastFailure = error
        standing.broadcast()
        standing.unlock()
    }
}
