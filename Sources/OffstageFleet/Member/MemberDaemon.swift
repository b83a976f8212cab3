// SPDX-License-Identifier: Apache-2.0
import OffstageClient
import OffstageCore
import OffstageProtocol

/// The member's connection to its machine's daemon. It reconnects as often as necessary, starts a daemon if there is
/// none, keeps the memory of the fleet's transfers for it, and is notified when they end.
///
/// Belongs to the loop's thread.
final class MemberDaemon {
    enum Event {
        /// The daemon is connected, with these transfers of the fleet on record.
        case prepared([TransferRow])
        case disconnected(OffstageError)
        /// A request to keep a memory.
        case keep(MemoryToKeep)
        case finished(TransferRow)
        case removed(TransferID)
    }

    /// How to find and start the daemon.
    struct Way: Sendable {
        var paths: OffstagePaths
        var environment: [String: String]
        var startsDaemon: Bool
    }

    /// The owner of the fleet's transfers, which share a queue.
    static let owner = "fleet"
    /// Seconds to connect, and to start a daemon.
    private static let patience = 20.0
    /// Seconds for an answer, as a commit may take a while.
    private static let answerPatience = 60.0
    private static let pageSize = 500

    private let way: Way
    private let fleet: String
    private let threads: SideThreads
    private var line: DaemonLine?
    private(set) var isPrepared = false
    private var isConnecting = false
    private var nextTry: Double? = 0
    private var pause = RetryPause(longest: 10)
    private var events: [Event] = []
    /// When the daemon was lost, in seconds on the boot-time clock; nil while there is one.
    private(set) var missingSince: Double?

    init(_ way: Way, fleet: String, _ threads: SideThreads) {
        self.way = way
        self.fleet = fleet
        self.threads = threads
        missingSince = MemberClock.seconds
    }

    var descriptor: Int32 { line?.fileDescriptor ?? -1 }
    var hasOutgoing: Bool { line?.hasOutgoing ?? false }

    /// When the next action is due; nil if none is.
    var due: Double? { [line == nil && !isConnecting ? nextTry : nil, line?.due].compactMap { $0 }.min() }

    func takeEvents() -> [Event] {
        defer { events = [] }
        return events
    }

    /// Performs due actions: connects, and gives up on a daemon that does not answer.
    func turn(now: Double) {
        if let due = line?.due, due <= now {
            lose(OffstageError(.timedOut, way.paths.socket, detail: "it was given \(Int(Self.answerPatience)) s"))
        }
        guard line == nil, !isConnecting, let due = nextTry, due <= now else { return }
        isConnecting = true
        let (way, patience) = (way, Self.patience)
        threads.run({ Self.connect(way, patience) }) { [weak self] in self?.connected($0) }
    }

    private static func connect(_ way: Way, _ patience: Double) -> Result<DaemonConnection, OffstageError> {
        let connector = DaemonConnector(
            paths: way.paths,
            environment: way.environment,
            client: "offstage-fleet",
            startsDaemon: way.startsDaemon
        )
        return Result { () throws(OffstageError) -> DaemonConnection in try connector.connect(within: patience) }
    }

    private func connected(_ result: Result<DaemonConnection, OffstageError>?) {
        isConnecting = false
        switch result ?? .failure(OffstageError(.internalError, "The system allows no more threads.")) {
        case .failure(let error):
            nextTry = MemberClock.seconds + pause.failed()  // checked: floating point
            events.append(.disconnected(error))
        case .success(let connection):
            line = DaemonLine(connection)
            nextTry = nil
            prepare()
        }
    }

    /// Takes the role of the keeper, and reads the transfers on record.
    private func prepare() {
        ask(AttachKeeper(fleet: fleet)) { [weak self] result in
            if case .failure(let error) = result { self?.lose(error) }
        }
        ask(WatchTransfers(ids: nil, onlyOutcomes: true)) { _ in }
        list(before: nil, [])
    }

    private func list(before: TransferID?, _ found: [TransferRow]) {
        var query = TransferQuery(limit: Self.pageSize)
        (query.owner, query.before) = (Self.owner, before)
        ask(ListTransfers(query: query)) { [weak self] result in
            guard let self, line != nil else { return }
            switch result {
            case .failure(let error): lose(error)
            case .success(let page):
                let rows = found + page.rows.filter { $0.keeper?.fleet == self.fleet }  // checked: arrays
                if page.hasMore, let last = page.rows.last { return list(before: last.id, rows) }
                isPrepared = true
                missingSince = nil
                pause.succeeded()
                events.append(.prepared(rows))
            }
        }
    }

    private func lose(_ error: OffstageError) {
        guard let lost = line else { return }
        line = nil
        if isPrepared { missingSince = MemberClock.seconds }
        isPrepared = false
        nextTry = MemberClock.seconds + pause.failed()  // checked: floating point
        events.append(.disconnected(error))
        lost.end(error)
    }

    /// Ends the connection for good.
    func close() {
        line = nil
        isPrepared = false
        nextTry = nil
    }

    /// Sends a request to the daemon.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - isPatient: whether there is no time limit for the answer.
    ///   - then: receives the answer, once.
    func ask<R: WireRequest>(
        _ request: R,
        isPatient: Bool = false,
        then: @escaping (Result<R.Reply, OffstageError>) -> Void
    ) {
        guard let line else { return then(.failure(OffstageError(.connectionLost, way.paths.socket))) }
        // checked: floating point
        line.ask(request, until: isPatient ? nil : MemberClock.seconds + Self.answerPatience, then: then)
    }

    /// The answer about a transfer.
    enum News {
        case known(TransferDetail)
        /// It is not on record.
        case gone(TransferID)
        /// The daemon cannot answer about these transfers at present.
        case notNow([TransferID], OffstageError)
    }

    /// Requests the details of transfers. If the connection is lost, there are no answers.
    func learn(_ ids: [TransferID], each: @escaping (News) -> Void) {
        ask(ShowTransfers(ids: ids)) { [weak self] result in
            switch result {
            case .success(let reply): for detail in reply.details { each(.known(detail)) }
            case .failure(let error) where error.code == .connectionLost: break
            // A single missing transfer makes the whole request fail.
            case .failure where ids.count > 1: for id in ids { self?.learn([id], each: each) }
            case .failure(let error) where error.code == .transferNotFound: ids.forEach { each(.gone($0)) }
            case .failure(let error): each(.notNow(ids, error))
            }
        }
    }

    /// Sends as much as the daemon's socket accepts.
    func flush() { line?.flush() }

    /// Reads the received data.
    func receive() {
        guard let line else { return }
        do throws(OffstageError) {
            try line.receive { frame in
                guard frame.name == MemoryToKeep.name,
                    let memory = try? WireCoding.decodeFromDaemon(MemoryToKeep.self, from: frame.payload)
                else { return }
                events.append(.keep(memory))
            }
            while let event = line.takeEvent() {
                switch event {
                case .finished(let row): events.append(.finished(row))
                case .removed(let id): events.append(.removed(id))
                case .changed, .progress: break
                }
            }
        } catch {
            lose(error)
        }
    }
}
