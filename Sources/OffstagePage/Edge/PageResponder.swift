// SPDX-License-Identifier: Apache-2.0
import OffstageClient
import OffstageCommands
import OffstageCore
import OffstageProtocol

/// Answers requests: asks the guard, then the daemon. Belongs to the loop's thread.
final class PageResponder {
    let context: CommandContext
    private let connector: DaemonConnector
    /// Nil until the port is known.
    private var guardian: PageGuard?
    /// The connection to the daemon; nil if there is none.
    private(set) var line: DaemonLine?
    let watch: PageWatch
    let fleet: FleetAsker
    let errands: PageErrands
    private var isOver = false
    private(set) var attendance: PageAttendance

    /// Whether this user's commands are for a fleet.
    private let knowsFleet: () -> Bool

    init(_ context: CommandContext, _ connector: DaemonConnector, patience: Double) {
        self.context = context
        self.connector = connector
        var quiet = connector
        quiet.startsDaemon = false
        quiet.onSilence = nil
        let knowsFleet = {
            (try? context.paths()).map { FleetProgram.isFleetKnown(context.environment, $0) } ?? false
        }
        watch = PageWatch(knowsFleet) { [quiet] () throws(OffstageError) in
            try quiet.connect(within: PageBounds.reach)
        }
        self.knowsFleet = knowsFleet
        fleet = FleetAsker(context.environment)
        errands = PageErrands(context.environment, startsDaemon: context.startsDaemon)
        attendance = PageAttendance(now: PageClock.now, patience: patience)
    }

    /// Starts admitting requests.
    func admit(by guardian: PageGuard) { self.guardian = guardian }

    // MARK: Requests

    /// Examines the head of a request.
    ///
    /// - Returns: the answer, if the head alone determines it.
    func receive(_ request: PageRequest) -> PageReply? {
        guard !isOver, let verdict = guardian?.verdict(on: request) else { return PageReply(.busy) }
        switch verdict {
        case .refused(let refusal): return PageReply(refusal)
        case .entered(let cookies):
            attendance.visited(now: PageClock.now)
            return .entrance(cookies: cookies)
        case .admitted:
            attendance.visited(now: PageClock.now)
            guard let length = request.only("content-length") else { return nil }
            return Int(length).map { $0 <= PageBounds.body } == true ? nil : PageReply(.tooLong)
        }
    }

    /// Answers an admitted request, immediately or later.
    func answer(_ request: PageRequest, _ body: [UInt8], _ take: @escaping (PageReply) -> Void) {
        guard !isOver else { return take(PageReply(.busy)) }
        do throws(PageRefusal) {
            answer(try PageCall(request, body: body), take)
        } catch {
            take(PageReply(error))
        }
    }

    func open(_ stream: PageStream) {
        watch.open(stream)
        attendance.watching(watch.streams.count, now: PageClock.now)
    }

    func close(_ stream: PageStream) {
        watch.close(stream)
        attendance.watching(watch.streams.count, now: PageClock.now)
    }

    private func answer(_ call: PageCall, _ take: @escaping (PageReply) -> Void) {
        switch call {
        case .file(let file): take(PageReply(type: file.type, body: .file(file)))
        case .news: take(PageReply(type: "text/event-stream", body: .news))
        case .findings: errands.ask(.findings, take)
        case .fleet(let question):
            knowsFleet() ? fleet.ask(question, take) : take(Self.json(["isKnown": false]))
        case .metrics: metrics(take)
        case .timeline(let seconds): timeline(seconds, take)
        case .list(let query): ask(ListTransfers(query: query), ListDocument.init, take)
        case .show(let id):
            ask(ShowTransfers(ids: [id]), { $0.details.map(DetailDocument.init) }, take)
        case .state: ask(GetStatus(), { [knowsFleet] in StateDocument($0, hasFleet: knowsFleet()) }, take)
        case .lines: ask(ListQueueLines(), { $0 }, take)
        case .apps: ask(ListApps(), { AppsDocument(apps: $0.rows.map(AppDocument.init)) }, take)
        case .app(let app): ask(ShowApp(app: app), AppDetailDocument.init, take)
        case .tasks: ask(ListTasks(), TasksCommand.Document.init, take)
        case .accounts:
            ask(ListAccounts(), { AccountsDocument(accounts: $0.rows.map(AccountDocument.init)) }, take)
        case .act(let verb, let selection):
            act(verb, selection, before: nil, ActOnTransfers.Reply(done: [], refused: []), take)
        case .limit(let id, let bytes):
            ask(SetRateLimit(id: id, bytesPerSecond: bytes), { $0 }, take)
            watch.stateChanged()
        // A working connection is kept, as requests may be under way on it.
        case .start: line == nil ? errands.ask(.start, take) : take(Self.json(Empty()))
        }
    }

    private func metrics(_ take: @escaping (PageReply) -> Void) {
        question(GetMetrics()) { result in
            switch result {
            case .failure(let error): take(Self.failure(error))
            case .success(let reply):
                let text = OpenMetricsText.of(reply.families)
                take(PageReply(type: OpenMetricsText.contentType, body: .bytes(Array(text.utf8))))
            }
        }
    }

    /// Performs an action on transfers. An action on all transfers is split into batches.
    private func act(
        _ verb: ActOnTransfers.Verb,
        _ selection: ActOnTransfers.Selection,
        before: TransferID?,
        _ done: ActOnTransfers.Reply,
        _ take: @escaping (PageReply) -> Void
    ) {
        let isInParts: Bool? = selection == .all ? true : nil
        question(ActOnTransfers(verb: verb, selection: selection, before: before, isInParts: isInParts)) {
            [weak self] result in
            switch result {
            case .failure(let error): take(Self.failure(error))
            case .success(let part):
                var reply = done
                reply.done += part.done
                reply.refused += part.refused
                if let self, let next = part.next { return act(verb, selection, before: next, reply, take) }
                self?.watch.stateChanged()
                take(Self.json(ActDocument(reply)))
            }
        }
    }

    // MARK: The daemon

    var due: Double? { line?.due }

    func question<R: WireRequest>(_ request: R, _ take: @escaping (Result<R.Reply, OffstageError>) -> Void) {
        do throws(OffstageError) {
            if line == nil {
                var connector = connector
                connector.startsDaemon = false
                line = DaemonLine(try connector.connect(within: PageBounds.reach))
            }
            line?.put(request, take)
        } catch {
            take(.failure(error))
        }
    }

    private func ask<R: WireRequest, Document: Encodable>(
        _ request: R,
        _ document: @escaping (R.Reply) -> Document,
        _ take: @escaping (PageReply) -> Void
    ) {
        question(request) { result in
            switch result {
            case .success(let reply): take(Self.json(document(reply)))
            case .failure(let error): take(Self.failure(error))
            }
        }
    }

    /// Processes the daemon's answers.
    ///
    /// - Parameter isReadable: whether the descriptor is readable.
    func turn(isReadable: Bool) {
        guard let line else { return }
        do throws(OffstageError) {
            if isReadable { try line.receive { _ in } }
            line.proceed()
        } catch {
            self.line = nil
            line.end(error)
        }
    }

    /// Ends everything under way and refuses later requests, so no connection remains suspended. Requests that have
    /// arrived but were not processed yet are refused as well.
    func stop() {
        isOver = true
        line?.end(OffstageError(.shuttingDown, "The page is closing."))
        watch.endAll()
        fleet.stop()
        errands.stop()
    }

    static func json(_ document: some Encodable) -> PageReply {
        PageReply.document(document)
    }

    static func failure(_ error: OffstageError) -> PageReply {
        let status: UInt32 =
            switch error.code {
            case .transferNotFound: 404
            case .notApplicable: 409
            case .badRequest: 400
            default: 503
            }
        return PageReply.document(FailureDocument(error: error.description.redactedControls), status: status)
    }
}
