// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageClient
import OffstageCore
import OffstageProtocol

/// The sessions' side of the app's link: opens the app on each new connection, and dispatches received events. Used
/// only by the link's thread, hence unchecked.
final class HubLoop: LinkUser, @unchecked Sendable {
    /// The state of the sessions on the current connection.
    private enum Standing {
        case unlinked
        /// The app's connection has not been needed yet.
        case linked(LinkLine)
        /// The daemon has refused the app, and is asked again only after a pause, whatever happens in the meantime.
        case refused(LinkLine)
        /// The journal has been requested.
        case opening(LinkLine)
        case open(LinkLine)
    }

    unowned let hub: SessionHub
    /// The sessions of this process, by identifier.
    var sessions: [String: SessionCore] = [:]
    private var standing = Standing.unlinked
    private var waiters: [(position: JournalPosition, done: (OffstageError?) -> Void)] = []
    /// The generation of the journal, and thus of the connection.
    private(set) var generation = 0
    private var backoff = LinkBackoff()
    /// Whether a connection is needed.
    private var isWanted = false

    /// Seconds until a request that the daemon could not answer is repeated.
    private static let retryPause = 1.0

    init(_ hub: SessionHub) { self.hub = hub }

    /// The app's connection, once the daemon has provided the journal.
    var line: LinkLine? { if case .open(let line) = standing { line } else { nil } }

    /// Runs the action after a second, unless the connection is lost first.
    func retry(_ action: @escaping () -> Void) { line?.later(Self.retryPause, action) }

    // MARK: - The link

    var eventName: String { SessionEvent.name }
    var wantsLink: Bool { isWanted }

    func linked(_ line: LinkLine) {
        standing = .linked(line)
        openIfNeeded()
    }

    func linkLost() {
        let wasOpen = line != nil
        standing = .unlinked
        guard wasOpen else { return }
        for session in sessions.values { session.connectionLost() }
        // A program that has no more sessions does not keep a daemon running.
        isWanted = !sessions.isEmpty || !waiters.isEmpty || hub.isAwaited
    }

    func linkFailed(_ error: OffstageError, isTold: Bool) {
        if isTold, isWanted { failWaiters(error) }
    }

    func received(_ event: WireFrame) {
        // An event that this version does not know can be ignored.
        guard line != nil, let event = try? WireCoding.decodeFromDaemon(SessionEvent.self, from: event.payload) else {
            return
        }
        handle(event)
    }

    func flushed() {}

    // MARK: - The app's connection

    private func openIfNeeded() {
        guard isWanted, case .linked(let line) = standing else { return }
        standing = .opening(line)
        line.openApp { [weak self] result in
            guard let self, case .opening(let current) = standing, current === line else {
                if case .success(let opened) = result { close(opened.journal) }
                return
            }
            switch result {
            case .success(let (app, journal)): opened(line, app, journal)
            case .failure(let error): refused(line, error)
            }
        }
    }

    private func opened(_ line: LinkLine, _ app: OpenApp.Reply, _ journal: Int32) {
        standing = .open(line)
        backoff.succeeded()
        generation = hub.journal.adopt(journal)
        settleWaiters(before: generation)
        hub.connected(app, generation: generation)
        for session in sessions.values { open(session) }
    }

    /// Handles the daemon's refusal to give the app a journal now.
    private func refused(_ line: LinkLine, _ error: OffstageError) {
        standing = .refused(line)
        let verdict = backoff.failed(error.code, now: LinkLine.now)
        if verdict.isTold { failWaiters(error) }
        line.later(verdict.pause) { [weak self] in
            guard let self, case .refused(let current) = standing, current === line else { return }
            standing = .linked(line)
            openIfNeeded()
        }
    }

    /// Passes the waiters the reason why there is no connection.
    private func failWaiters(_ error: OffstageError) {
        hub.failed(error)
        let abandoned = waiters
        waiters = []
        for waiter in abandoned { waiter.done(error) }
        for session in sessions.values { session.connectionFailed(error) }
    }

    // MARK: - Commands

    func attend() {
        for command in hub.takeCommands() {
            switch command {
            case .open(let session):
                sessions[session.identifier] = session
                isWanted = true
                if line != nil { openOnceCommitted(session) }
            case .close(let session):
                guard sessions[session.identifier] === session else { break }
                sessions[session.identifier] = nil
                ask(CloseSession(identifier: session.identifier)) { _ in }
            case .pullEnds(let session): pullEnds(of: session)
            case .ring: ring()
            case .connect: isWanted = true
            case .whenCommitted(let position, let done):
                whenCommitted(position, done)
            }
        }
        openIfNeeded()
    }

    /// Calls back once the daemon has committed a record, or with an error if the daemon cannot be reached.
    func whenCommitted(_ position: JournalPosition, _ done: @escaping (OffstageError?) -> Void) {
        waiters.append((position, done))
        settleWaiters(committed: nil)
        if !waiters.isEmpty { isWanted = true }
    }

    private func ring() { line?.post(Ring.name) }

    /// Sends a request; the answer is passed to `then` on this thread.
    func ask<R: WireRequest>(_ request: R, then: @escaping (Result<R.Reply, OffstageError>) -> Void) {
        line?.ask(request, then: then)
    }

    // MARK: - Events

    private func handle(_ event: SessionEvent) {
        switch event {
        case .committed(let sequence):
            if hub.journal.committed(sequence) { ring() }
            let position = JournalPosition(generation: generation, sequence: sequence)
            settleWaiters(committed: position)
            for session in sessions.values { session.committed(upTo: position) }
        case .progress(let all):
            for progress in all { sessions[progress.key.session]?.deliver(.progress(progress)) }
        case .ended(let end): sessions[end.key.session]?.ended(end)
        case .question(let id, let key, let question):
            sessions[key.session]?.asked(id, key.task, question)
        case .refused(let key, let failure): sessions[key.session]?.refuse(key.task, failure)
        case .missed(let identifier):
            guard let session = sessions[identifier] else { break }
            if session.released() { pullEnds(of: session) }
        }
    }

    /// Completes the waiters for older journals, whose contents are all in the store.
    private func settleWaiters(before generation: Int) {
        let position = JournalPosition(generation: generation, sequence: 0)
        settleWaiters(committed: position)
        for session in sessions.values { session.committed(upTo: position) }
    }

    private var lastCommitted = JournalPosition(generation: 0, sequence: 0)

    private func settleWaiters(committed position: JournalPosition?) {
        if let position { lastCommitted = max(lastCommitted, position) }
        guard !waiters.isEmpty else { return }
        let settled = waiters.filter { $0.position <= lastCommitted }
        waiters.removeAll { $0.position <= lastCommitted }
        for waiter in settled { waiter.done(nil) }
    }
}
