// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
package import OffstageCore
package import OffstageProtocol
import Synchronization

/// The one link of an app to its daemon: one socket, one thread that reads it, one place where it is connected anew.
///
/// The app's life, its background sessions, its deferred work and its notifications share it. A part that has a role on
/// the connection is a `LinkUser`; a part that has a question, and waits for the answer, calls `ask`. From any thread.
package final class AppLink: Sendable {
    /// What other threads have for the link's.
    struct Inbox: Sendable {
        var users: [any LinkUser] = []
        var questions: [LinkQuestion] = []
        /// Whether somebody waits: no pause before the next try.
        var isUrgent = false
    }

    /// Where the daemon is; nil when the environment does not say, and then why.
    package let paths: OffstagePaths?
    package let pathsProblem: OffstageError?
    package let environment: [String: String]
    /// Becomes readable when something is in the inbox, or a user has something to do.
    let wakeDescriptor: Int32
    private let inbox = Mutex(Inbox())
    private let isStarted = Mutex(false)

    private static let links = Mutex<[String: AppLink]>([:])

    /// The link to the daemon that the environment leads to.
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
        // What the app prints must go into no descriptor of this library's.
        offstage_hold_standard_descriptors()
        wakeDescriptor = offstage_eventfd()
    }

    // MARK: - Users

    /// Adds a user, which is told from now on what becomes of the link; a link lives as long as its process.
    package func add(_ user: any LinkUser) { put(isUrgent: true) { $0.users.append(user) } }

    /// Has the users' `attend` called on the link's thread.
    ///
    /// - Parameter isUrgent: whether somebody waits for a connection: if there is none, the next try is made at once.
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

    /// Asks and waits; not on the link's thread. When the connection breaks before the answer has come, it is asked once
    /// more over the next.
    ///
    /// - Parameters:
    ///   - request: what is asked.
    ///   - again: what is asked then; nil for the same.
    ///   - seconds: until there has to be an answer, whatever it is that takes the time.
    ///   - startsDaemon: whether a daemon is started where none runs.
    /// - Returns: the answer.
    /// - Throws: the daemon's refusal, and why there is no answer.
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
        // A daemon that takes over a damaged store may take its time to greet.
        connector.patience = LinkLine.patience
        return connector
    }

    private func start() {
        let isFirst = isStarted.withLock { isStarted in
            defer { isStarted = true }
            return !isStarted
        }
        guard isFirst else { return }
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self)
        let code = pthread_create(&thread, nil, Self.entry, context.toOpaque())
        guard code == 0 else {
            context.release()
            // The next call tries again: whoever asks is told that there is no answer.
            return isStarted.withLock { $0 = false }
        }
        pthread_detach(thread)
    }

    private static let entry: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
        guard let context else { return nil }
        offstage_name_thread("offstage")
        LinkLoop(Unmanaged<AppLink>.fromOpaque(context).takeRetainedValue()).run()
    }
}
