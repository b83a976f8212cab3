// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageProtocol
import OffstageRuntime

/// The durable part of deferred work: requests and the history of their outcomes, written in the order of the
/// decisions.
///
/// Belongs to `TaskCenter`; every call is on the loop.
final class TaskRecords {
    private let store: any TaskStore
    private let ledger: Ledger<TaskChange>
    private let clock: SystemClock
    private var refusals = TaskRefusals()

    /// The most entries shown for a task, and searched for a number without a task.
    private static let shown = 100
    private static let searched = 10_000
    /// Records spans for the timeline.
    let chronicle: ChronicleRecorder

    init(
        loop: EventLoop,
        store: any TaskStore,
        trouble: StoreTrouble,
        chronicle: ChronicleRecorder,
        clock: SystemClock
    ) {
        self.store = store
        self.chronicle = chronicle
        self.clock = clock
        ledger = Ledger(loop: loop, trouble: trouble) { changes throws(StoreError) in
            try await store.commit(tasks: changes)
        }
    }

    // MARK: Writing

    func add(_ change: TaskChange) { ledger.record(change) }

    /// Adds the outcome of a request to the history.
    func add(_ outcome: TaskEntry.Outcome, of request: TaskRequest) {
        let entry = TaskEntry(
            number: request.number,
            app: request.app,
            identifier: request.identifier,
            kind: request.kind,
            date: clock.now().wall,
            outcome: outcome
        )
        add(.append(entry))
    }

    /// Adds a refusal, because many programs ignore the error; only the first in a series of equal ones.
    func add(_ refusal: TaskPermission.Refusal, of draft: TaskDraft, app: String) {
        let now = clock.now()
        let key = TaskRefusals.Key(app: app, identifier: draft.identifier, code: refusal.code)
        guard refusals.isNew(key, at: now.uptime) else { return }
        let entry = TaskEntry(
            number: nil,
            app: app,
            identifier: draft.identifier,
            kind: draft.kind,
            date: now.wall,
            outcome: .refused(code: refusal.code, refusal.sentence)
        )
        add(.append(entry))
    }

    /// Calls a follower once everything recorded so far is durable, unless the daemon stops first.
    func whenDurable(_ follower: @escaping () -> Void) {
        ledger.follow { isDurable in if isDurable { follower() } }
    }

    /// Returns when everything recorded is durable.
    ///
    /// - Throws: `WireFailure` if the daemon stops first.
    func untilDurable() async throws(WireFailure) {
        guard await ledger.untilDurable() else { throw .isStopping }
    }

    /// Whether no change is on its way into the store.
    var isAtRest: Bool { ledger.isAtRest }

    /// Sets the handler that is called whenever the last pending change has been stored.
    func onRest(_ handler: @escaping () -> Void) { ledger.onRest(handler) }

    func shutDown() async { await ledger.shutDown() }

    // MARK: Reading

    /// Whether the request that an app submitted with this nonce was accepted; pending changes are written first.
    func has(_ identifier: String, nonce: UInt64, of app: String) async throws -> Bool {
        try await untilDurable()
        return try await store.hasTask(app: app, identifier: identifier, nonce: nonce)
    }

    /// The outcomes of requests, newest first; of one app, if given.
    func history(of app: String?, limit: Int) async throws -> [TaskEntry] {
        try await store.taskEntries(app: app, identifier: nil, limit: limit)
    }

    /// The outcomes of the requests with a name.
    func history(of name: TaskName) async throws -> [TaskEntry] {
        var places = name.places
        if let number = name.number {
            guard let record = name.records.first else {
                return try await store.taskEntries(app: nil, identifier: nil, limit: Self.searched)
                    .filter { $0.number == number }
            }
            places = [(record.request.app, record.request.identifier)]
        }
        var history: [TaskEntry] = []
        for place in places {
            history += try await store.taskEntries(app: place.app, identifier: place.identifier, limit: Self.shown)
        }
        return history
    }
}

extension WireFailure {
    static var isStopping: WireFailure { WireFailure(.shuttingDown, "The daemon is stopping: try again.") }
}
