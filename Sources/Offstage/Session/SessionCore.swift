// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationNetworking
import OffstageClient
import OffstageCore
import OffstageProtocol
import Synchronization

/// The core of a background session, behind its `URLSession`: its tasks, its delegate and its state with the daemon.
///
/// Retains the session and its delegate until the session is invalidated, and each task until its end has been
/// delivered; a task retains the core but neither of the two.
final class SessionCore: Sendable {
    /// A task that has not ended, or whose end has not been delivered.
    enum Entry: Sendable {
        /// As listed by the daemon; no object has been needed yet.
        case row(ListSessionTasks.Row)
        case task(any SessionTask)
    }

    /// A task whose end is being or has been delivered to the delegate: it is not delivered again.
    enum Told: Sendable {
        case telling
        case acknowledged(JournalPosition)
        /// The journal could not be written: the end is acknowledged again when the daemon reports it again.
        case unacknowledged
    }

    enum Opening: Sendable {
        case pending
        case open
        /// No daemon has been reached so far.
        case unreachable(OffstageError)
        /// Another process of the app has the session, or the daemon refuses to open it.
        case refused(OffstageError)
    }

    enum Invalidation: Sendable { case none, finishing, done }

    /// The first list of the session's tasks, and the deliveries and callbacks waiting for it.
    struct Listing {
        var isComplete = false
        var waiters: [@Sendable () -> Void] = []
        /// Questions that arrived before the list.
        var questions: [Delivery] = []
    }

    struct State {
        var session: BackgroundURLSession?
        var delegate: (any FoundationNetworking.URLSessionDelegate)?
        var entries: [Int: Entry] = [:]
        var told: [Int: Told] = [:]
        var committed = JournalPosition(generation: 0, sequence: 0)
        var highestTask = 0
        var opening = Opening.pending
        var listing = Listing()
        var ends: EndsCursor
        var questions = AskedQuestions()
        var invalidation = Invalidation.none
        /// Whether the invalidation cancelled the tasks, which then have no owner any more.
        var isCancelled = false
        var dataTasks: InProcessDataTasks?
        var events: EventChannel?
        /// Ends that cannot be delivered yet.
        var held: [SessionTaskEnd] = []

        init(isSupervised: Bool) { ends = EndsCursor(isSupervised: isSupervised) }
    }

    let settings: SessionSettings
    let hub: SessionHub
    let state: Mutex<State>
    /// Entered until it is known whether the daemon opens the session.
    private let firstOpening = DispatchGroup()
    private let queue = Mutex<DeliveryQueue?>(nil)

    var identifier: String { settings.identifier }

    init(_ settings: SessionSettings, hub: SessionHub, isSupervised: Bool) {
        self.settings = settings
        self.hub = hub
        state = Mutex(State(isSupervised: isSupervised))
        firstOpening.enter()
    }

    /// Starts the session with its public object.
    func begin(_ session: BackgroundURLSession, delegate: (any FoundationNetworking.URLSessionDelegate)?) {
        state.withLock { state in
            state.session = session
            state.delegate = delegate
        }
        queue.withLock { queue in
            queue = DeliveryQueue(session.delegateQueue) { [weak self] in self?.perform($0) }
        }
        takeExpectation()
        hub.send(.open(self))
    }

    func deliver(_ deliveries: Delivery...) {
        queue.withLock { $0 }?.add(deliveries)
    }

    /// Waits until it is known whether the daemon opens the session, and thus which task numbers are free.
    func waitUntilOpened() { firstOpening.wait() }

    private func setOpening(_ opening: Opening) {
        let wasPending = state.withLock { state in
            defer { state.opening = opening }
            if case .pending = state.opening { return true }
            return false
        }
        if wasPending { firstOpening.leave() }
    }

    // MARK: - From the link's thread

    /// - Returns: whether the session's tasks have to be listed.
    func opened(highestTask: Int) -> Bool {
        let needsListing = state.withLock { state in
            state.highestTask = max(state.highestTask, highestTask)
            return !state.listing.isComplete
        }
        setOpening(.open)
        return needsListing
    }

    func connectionFailed(_ error: OffstageError) {
        let isOpen = state.withLock { state in if case .open = state.opening { true } else { false } }
        if !isOpen { setOpening(.unreachable(error)) }
        finishListing()
        finishIfPossible()
    }

    func refused(_ error: OffstageError) {
        setOpening(.refused(error))
        BackgroundSessions.remove(self)
        finishListing()
        finishIfPossible()
    }

    func listed(_ rows: [ListSessionTasks.Row], isLast: Bool) {
        let questions: [Delivery] = state.withLock { state in
            for row in rows where state.entries[row.task] == nil && state.told[row.task] == nil {
                state.entries[row.task] = .row(row)
            }
            guard isLast else { return [] }
            state.listing.isComplete = true
            defer { state.listing.questions = [] }
            return state.listing.questions
        }
        guard isLast else { return }
        for question in questions { deliver(question) }
        finishEvents()
        finishListing()
        finishIfPossible()
    }

    private func finishListing() {
        let waiters = state.withLock { state in
            defer { state.listing.waiters = [] }
            return state.listing.waiters
        }
        for waiter in waiters { waiter() }
    }

    /// Calls back once the outstanding tasks are known, or cannot be determined.
    func whenListed(_ done: @escaping @Sendable () -> Void) {
        let isKnown = state.withLock { state in
            switch state.opening {
            case .refused, .unreachable: return true
            case .open, .pending:
                guard !state.listing.isComplete else { return true }
                state.listing.waiters.append(done)
                return false
            }
        }
        if isKnown { done() }
    }

    /// Records that the daemon has committed the journal up to this position.
    func committed(upTo position: JournalPosition) {
        state.withLock { state in
            state.committed = max(state.committed, position)
            state.forgetTold()
        }
    }
}

extension SessionCore.State {
    /// Whether a task's end has not been delivered: the task has not ended, or its delivery is pending.
    func isUntold(_ task: Int) -> Bool {
        switch told[task] {
        case nil, .telling: true
        case .acknowledged, .unacknowledged: false
        }
    }

    /// Forgets tasks whose acknowledgements are committed, unless an older answer that names them may still be under
    /// way.
    mutating func forgetTold() {
        guard listing.isComplete, !ends.isPulling, !told.isEmpty else { return }
        let committed = committed
        told = told.filter { entry in
            if case .acknowledged(let position) = entry.value { position > committed } else { true }
        }
    }
}
