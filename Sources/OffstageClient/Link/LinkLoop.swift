// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageProtocol

/// The link's thread: connects, starts a daemon if none is running, and reads frames and passes them on. For that
/// thread only.
final class LinkLoop {
    private let link: AppLink
    private var users: [any LinkUser] = []
    /// Questions that have not been sent, or should be repeated, and how often each was sent.
    private var questions: [(question: LinkQuestion, asked: Int)] = []
    private var line: LinkLine?
    private var backoff = LinkBackoff()
    private var nextTry = ContinuousClock.now
    /// Whether a caller is waiting for a connection: the next attempt is due.
    private var isUrgent = false
    /// Whether the daemon at the other end of the line no longer accepts questions.
    private var isEnding = false

    init(_ link: AppLink) { self.link = link }

    /// Runs the loop. A link lives as long as its process.
    func run() -> Never {
        while true {
            takeInbox()
            for user in users { user.attend() }
            if line == nil { connectIfDue() }
            sendQuestions()
            flush()
            waitForSomething()
            line?.ringAlarms()
            if let failure = line?.failure { lose(failure) }
        }
    }

    private func takeInbox() {
        let inbox = link.takeInbox()
        if inbox.isUrgent, line == nil { isUrgent = true }
        questions += inbox.questions.map { ($0, 0) }
        for user in inbox.users {
            users.append(user)
            if let line { user.linked(line) }
        }
    }

    /// Whether a connection is needed.
    private var isWanted: Bool {
        questions.removeAll { $0.question.isSettled }
        return !questions.isEmpty || users.contains { $0.wantsLink }
    }

    // MARK: - Incoming frames

    private func waitForSomething() {
        var entries = [pollfd(fd: link.wakeDescriptor, events: Int16(POLLIN), revents: 0)]
        if let line {
            let events = line.hasOutgoing ? POLLIN | POLLOUT : POLLIN
            entries.append(pollfd(fd: line.fileDescriptor, events: Int16(events), revents: 0))
        }
        guard poll(&entries, nfds_t(entries.count), timeout) > 0 else { return }
        if entries[0].revents != 0 {
            var count: UInt64 = 0
            _ = read(link.wakeDescriptor, &count, 8)
        }
        if entries.count == 2, Int32(entries[1].revents) & ~POLLOUT != 0 { receive() }
    }

    /// Milliseconds until something is due; -1 means never.
    private var timeout: Int32 {
        let left: Double?
        if let line {
            left = line.untilDue
        } else {
            left = isWanted ? max(0, (nextTry - .now) / .milliseconds(1)) : nil
        }
        return left.map { Int32(nearest: $0.rounded(.up)) } ?? -1
    }

    private func receive() {
        guard let line else { return }
        do throws(OffstageError) {
            try line.receive { event in
                for user in users where user.eventName == event.name { user.received(event) }
            }
            if line.isProven { backoff.succeeded() }
        } catch {
            lose(error)
        }
    }

    private func flush() {
        if line?.flush() == true { for user in users { user.flushed() } }
    }

    // MARK: - Connecting

    private func connectIfDue() {
        guard isWanted else {
            // The next caller that needs a connection starts without a history of failures.
            backoff.succeeded()
            isUrgent = false
            return
        }
        guard isUrgent || ContinuousClock.now >= nextTry else { return }
        isUrgent = false
        do throws(OffstageError) {
            let startsDaemon = users.contains { $0.wantsLink } || questions.contains { $0.question.startsDaemon }
            let line = LinkLine(try link.connector(startsDaemon: startsDaemon).connect())
            self.line = line
            isEnding = false
            for user in users { user.linked(line) }
        } catch {
            failed(error)
        }
    }

    /// Handles a failed attempt: there is no connection, or one that gave no useful answer.
    private func failed(_ error: OffstageError) {
        let verdict = backoff.failed(error.code, now: LinkLine.now)
        nextTry = .now + .seconds(verdict.pause)
        for user in users { user.linkFailed(error, isTold: verdict.isTold) }
        guard verdict.isTold else { return }
        let asked = questions
        questions = []
        for entry in asked { entry.question.settle(.failure(error)) }
    }

    /// Handles the end of the connection: everything outstanding is asked again over the next one.
    private func lose(_ error: OffstageError) {
        guard let line else { return }
        self.line = nil
        nextTry = .now
        for user in users { user.linkLost() }
        line.end(error)
        if !line.isProven { failed(error) }
    }

    // MARK: - Questions

    private func sendQuestions() {
        guard let line, !isEnding, !questions.isEmpty else { return }
        let due = questions
        questions = []
        for entry in due where !entry.question.isSettled { send(entry.question, asked: entry.asked + 1, over: line) }
    }

    private func send(_ question: LinkQuestion, asked: Int, over line: LinkLine) {
        line.ask(question.name, question.send()) { [weak self] result in
            if let self, case .failure(let error) = result, LinkQuestion.mayRepeat(after: error, asked: asked) {
                // A daemon that is about to exit closes the connection; the next one is asked.
                if error.code == .shuttingDown { isEnding = true }
                return questions.append((question, asked))
            }
            question.settle(result)
        }
    }
}
