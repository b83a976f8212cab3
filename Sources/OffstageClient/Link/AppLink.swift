// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
package import OffstageCore
package import OffstageProtocol
import Synchronization

/// An app's only link to its daemon: one socket, one thread that reads it, and one place that reconnects.
///
/// The app's life, its background sessions, its deferred work and its notifications share it. A part that has a role on
/// the connection is a `LinkUser`; a part that sends a request and waits for the answer calls `ask`. May be called from
/// any thread.
package final class AppLink: Sendable {
    /// The work that other threads have queued for the link's thread.
    struct Inbox: Sendable {
        var users: [any LinkUser] = []
        var questions: [LinkQuestion] = []
        /// Whether a caller is waiting: the next attempt is then made without a pause.
        var isUrgent = false
    }

    /// The daemon's paths; nil if the environment does not determine them, in which case `pathsProblem` gives the
    /// reason.
    package let paths: OffstagePaths?
    package let pathsProblem: OffstageError?
    package let environment: [String: String]
    /// Becomes readable when something is in the inbox, or a user has work to do.
    let wakeDescriptor: Int32
    private let inbox = Mutex(Inbox())
    private let isStarted = Mutex(false)

    private static let links = Mutex<[String: AppLink]>([:])

    /// The link to the daemon that the environment determines.
    package static func shared(_ environment: [String: String]) -> AppLink {
        let key = (try? OffstagePaths.ofThisUser(environment))?.socket ?? ""
        return links.withLock { links in
            if let link = links[key] { return link }
            let link = AppLink(environment)
            links[key] = link
            return link
        }
    }

    private init(_ environment: [String: String]) {
        self.environment = environment
        do throws(SettingsError) {
            paths = try OffstagePaths.ofThisUser(environment)
            pathsProblem = nil
        } catch {
            paths = nil
            pathsProblem = OffstageError(.daemonUnreachable, "nowhere", detail: error.sentence)
        }
        // The app's output must never go to one of this library's descriptors.
        offstage_hold_standard_descriptors()
        wakeDescriptor = offstage_eventfd()
    }

    // MARK: - Users

    /// Adds a user, which is notified of the link's state from now on. A link lives as long as its process.
    package func add(_ user: any LinkUser) { put(isUrgent: true) { $0.users.append(user) } }

    /// Makes the link's thread call `attend` on every user.
    ///
    /// - Parameter isUrgent: whether a caller is waiting for a connection: if there is none, the next attempt is made
    ///   immediately.
    package func wake(isUrgent: Bool = false) { put(isUrgent: isUrgent) { _ in } }

    private func put(isUrgent: Bool, _ change: (inout Inbox) -> Void) {
        inbox.withLock { inbox in
            change(&inbox)
            if isUrgent { inbox.isUrgent = true }
        }
        start()
        var one: UInt64 = 1
        _ = write(wakeDescriptor, &one, 8)
    }

    func takeInbox() -> Inbox {
        inbox.withLock { inbox in
            defer { inbox = Inbox() }
            return inbox
        }
    }

    // MARK: - Questions

    /// Sends a request and waits for the answer; not for the link's thread. If the connection breaks before the answer
    /// has arrived, the request is repeated once over the next connection.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - again: the request to repeat with; nil for the same.
    ///   - seconds: the time limit for the answer, whatever causes the delay.
    ///   - startsDaemon: whether to start a daemon if none is running.
    /// - Returns: the answer.
    /// - Throws: the daemon's refusal, or why there is no answer.
    package func ask<Request: WireRequest>(
        _ request: Request,
        again: Request? = nil,
        within seconds: Double,
        startsDaemon: Bool = true
    ) throws(OffstageError) -> Request.Reply {
        let first = try Wire.payload(of: request)
        let repeated = if let again { try Wire.payload(of: again) } else { first }
        let question = LinkQuestion(name: Request.name, first: first, again: repeated, startsDaemon: startsDaemon)
        put(isUrgent: true) { $0.questions.append(question) }
        switch question.wait(seconds: seconds) {
        case .settled(let outcome): return try outcome.flatMap { Wire.reply(to: Request.self, $0) }.get()
        case .late(let isSent): throw lateness(seconds, isSent: isSent)
        }
    }

    private func lateness(_ seconds: Double, isSent: Bool) -> OffstageError {
        guard let connector = try? connector(startsDaemon: false) else {
            return pathsProblem ?? OffstageError(.daemonUnreachable, "nowhere")
        }
        return connector.lateness(seconds, isAsked: isSent)
    }

    // MARK: - The link's thread

    func connector(startsDaemon: Bool) throws(OffstageError) -> DaemonConnector {
        guard let paths else { throw pathsProblem ?? OffstageError(.daemonUnreachable, "nowhere") }
        var connector = DaemonConnector(
            paths: paths,
            environment: environment,
            client: OriginalEnvironment.processName,
            startsDaemon: startsDaemon
        )
        // A daemon that takes over a damaged store may need time before it greets.
        connector.patience = LinkLine.patience
        return connector
    }

    private func start() {
        let isFirst = isStarted.withLock { isStarted in
            defer { isStarted = true }
            return !isStarted
        }
        guard isFirst else { return }
        // A link lives as long as its process. If no thread can be started, the next call tries again: the caller
        // receives an error because there is no answer.
        if !DetachedThread.start("offstage", { LinkLoop(self).run() }) { isStarted.withLock { $0 = false } }
    }
}
