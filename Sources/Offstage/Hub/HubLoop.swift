// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import OffstageClient
import OffstageCore
import OffstageProtocol

/// The hub's thread: connects, starts a daemon where none runs, and sorts what comes. Used by that thread alone.
final class HubLoop {
    typealias Reply = (Result<[UInt8], OffstageError>) -> Void

    unowned let hub: SessionHub
    var connection: DaemonConnection?
    /// The sessions of this process, by identifier.
    var sessions: [String: SessionCore] = [:]
    /// What to do with the answers to requests that are under way.
    private var replies: [UInt32: Reply] = [:]
    private var waiters: [(position: JournalPosition, done: (OffstageError?) -> Void)] = []
    /// What is asked again over this connection after a pause.
    private var retries: [(due: ContinuousClock.Instant, action: () -> Void)] = []
    /// The journal's, and so the connection's.
    private(set) var generation = 0
    /// Milliseconds to the next try after one that failed.
    private var pause: Int32 = 0
    /// Whether somebody needs a connection.
    private var isWanted = false

    /// When the tries began to fail; nil while there is a connection.
    private var failingSince: ContinuousClock.Instant?

    private static let longestPause: Int32 = 30_000
    /// How long a failure that may be over at the next try is kept from those who wait.
    private static let forbearance: Duration = .seconds(3)
    private static let retryPause: Duration = .seconds(1)

    init(_ hub: SessionHub) { self.hub = hub }

    /// Never returns: a hub lives as long as its process.
    func run() {
        while true {
            handleCommands()
            if connection == nil, isWanted { connect() }
            waitForSomething()
            if connection != nil { receive() }
            retryDue()
        }
    }

    private func waitForSomething() {
        var entries = [pollfd(fd: hub.wakeDescriptor, events: Int16(POLLIN), revents: 0)]
        if let connection {
            entries.append(pollfd(fd: connection.fileDescriptor, events: Int16(POLLIN), revents: 0))
        }
        // After a failure the next try comes by itself, or as soon as somebody needs it.
        let timeout: Int32 = connection == nil ? (isWanted ? max(pause, 1) : -1) : untilRetry
        guard poll(&entries, nfds_t(entries.count), timeout) > 0 else { return }
        if entries[0].revents != 0 {
            var count: UInt64 = 0
            _ = read(hub.wakeDescriptor, &count, 8)
        }
        if entries.count < 2 || entries[1].revents == 0 { return }
        mayReceive = true
    }

    private var mayReceive = false

    /// Does something after a second, unless the connection is lost until then.
    func retry(_ action: @escaping () -> Void) {
        guard connection != nil else { return }
        retries.append((.now + Self.retryPause, action))
    }

    private func retryDue() {
        let now = ContinuousClock.now
        let due = retries.prefix { $0.due <= now }
        retries.removeFirst(due.count)
        for retry in due { retry.action() }
    }

    /// Milliseconds to the next retry; -1 when there is none.
    private var untilRetry: Int32 {
        guard let due = retries.first?.due else { return -1 }
        let left = (due - .now) / .milliseconds(1)
        return Int32(nearest: max(0, left.rounded(.up)))
    }

    private func receive() {
        guard mayReceive, let connection else { return }
        mayReceive = false
        do throws(OffstageError) {
            try connection.receive()
            // More events may follow from what a reply sets off, but they come with the next wake-up.
            for frame in connection.takeFrames() { handle(frame) }
        } catch {
            for frame in connection.takeFrames() { handle(frame) }
            lose(error)
        }
    }

    // MARK: - Connecting

    private func connect() {
        do throws(OffstageError) {
            guard let paths = hub.paths else {
                throw hub.pathsProblem ?? OffstageError(.daemonUnreachable, "nowhere")
            }
            var connector = DaemonConnector(
                paths: paths,
                environment: hub.environment,
                client: ProcessInfo.processInfo.processName,
                startsDaemon: true
            )
            // The reply to OpenApp waits until everything in older journals is in the store.
            connector.patience = 300
            let connection = try connector.connect()
            let (app, journal) = try connection.openApp()
            self.connection = connection
            generation = hub.journal.adopt(journal)
            pause = 0
            failingSince = nil
            settleWaiters(before: generation)
            hub.connected(app, generation: generation)
            for session in sessions.values { open(session) }
        } catch {
            let began = failingSince ?? .now
            failingSince = began
            // A daemon may die while it is greeted, and another is there a moment later. Whoever was told would take
            // that for the end: a task would fail, or be given a number that an older one has.
            if Self.mayPass(error), ContinuousClock.now - began < Self.forbearance {
                pause = min(max(pause * 2, 10), 250)
                return
            }
            pause = min(max(pause * 2, 250), Self.longestPause)
            hub.failed(error)
            let abandoned = waiters
            waiters = []
            for waiter in abandoned { waiter.done(error) }
            for session in sessions.values { session.connectionFailed(error) }
        }
    }

    private static func mayPass(_ error: OffstageError) -> Bool {
        [.connectionLost, .shuttingDown, .daemonDidNotStart].contains(error.code)
    }

    /// The connection has ended: everything that was under way is asked again over the next.
    private func lose(_ error: OffstageError) {
        connection = nil
        let abandoned = replies
        replies = [:]
        retries = []
        for session in sessions.values { session.connectionLost() }
        for reply in abandoned.values { reply(.failure(error)) }
        // A program that has no sessions any more does not keep a daemon going.
        isWanted = !sessions.isEmpty || !waiters.isEmpty || hub.isAwaited
    }

    // MARK: - Commands

    private func handleCommands() {
        for command in hub.takeCommands() {
            switch command {
            case .open(let session):
                sessions[session.identifier] = session
                isWanted = true
                if connection != nil { openOnceCommitted(session) }
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
    }

    /// Calls back once the daemon has committed a record; with an error when the daemon cannot be reached.
    func whenCommitted(_ position: JournalPosition, _ done: @escaping (OffstageError?) -> Void) {
        waiters.append((position, done))
        settleWaiters(committed: nil)
        if !waiters.isEmpty { isWanted = true }
    }

    private func ring() {
        guard let connection else { return }
        do throws(OffstageError) { try connection.ring() } catch { lose(error) }
    }

    /// Sends a request; the answer is handed over on this thread.
    func ask<R: WireRequest>(_ request: R, then: @escaping (Result<R.Reply, OffstageError>) -> Void) {
        guard let connection else { return }
        do throws(OffstageError) {
            let number = try connection.post(request)
            replies[number] = { result in
                then(
                    result.flatMap { payload in
                        do {
                            return .success(try WireCoding.decodeFromDaemon(R.Reply.self, from: payload))
                        } catch {
                            let sentence = "The daemon's answer to \(R.name) cannot be read: please report this."
                            return .failure(OffstageError(.internalError, sentence))
                        }
                    }
                )
            }
        } catch {
            lose(error)
        }
    }

    // MARK: - What comes

    private func handle(_ frame: WireFrame) {
        switch frame.kind {
        case .reply: replies.removeValue(forKey: frame.exchange)?(.success(frame.payload))
        case .failure:
            let refusal =
                (try? WireCoding.decodeFromDaemon(WireFailure.self, from: frame.payload))
                ?? WireFailure(.internalError, "The daemon refused without a reason: please report this.")
            replies.removeValue(forKey: frame.exchange)?(.failure(OffstageError(refusal)))
        case .event:
            // An event this version does not know is one it can do without.
            if let event = try? WireCoding.decodeFromDaemon(SessionEvent.self, from: frame.payload) { handle(event) }
        case .request: break
        }
    }

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

    /// Everything in older journals is in the store.
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
