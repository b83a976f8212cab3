// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageRuntime

/// Background sessions as seen by apps' life cycles: records notifications, and calls an app when a test requests it.
actor StandInSessions: AppSessions {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private var sink: (@Sendable (AppNotice) -> Void)?
    private(set) var isWithheld = false
    private(set) var notified: [String] = []
    private(set) var handled: [String] = []
    private(set) var cancellations = 0
    private var tasks = 0

    init(loop: EventLoop) { self.loop = loop }

    /// Calls the app for a session whose last task has ended.
    func call(_ app: String, for session: String) { sink?(.needsApp(app: app, session: session)) }

    /// No reason remains to call the app for the session.
    func settle(_ app: String, for session: String) { sink?(.settled(app: app, session: session)) }

    /// The app has handed over this many tasks.
    func handOver(_ count: Int) { tasks = count }

    // MARK: AppSessions

    func setAppSink(_ sink: @escaping @Sendable (AppNotice) -> Void) { self.sink = sink }
    func outstanding(of app: String) -> Int { tasks }
    var outstandingByApp: [String: Int] { [:] }
    func withhold(_ app: String, from process: ProcessIdentity?) { isWithheld = true }
    func deliver(_ app: String, session identifier: String?) { isWithheld = false }
    func notified(_ app: String, session identifier: String) { notified.append(identifier) }
    func handled(_ app: String, session identifier: String) { handled.append(identifier) }
    func acceptUnannounced(of app: String) {}

    func cancelAllForQuit(_ app: String, ending process: ProcessIdentity?) async -> Int {
        cancellations += 1
        defer { tasks = 0 }
        return tasks
    }

    func restIsCancelled(of app: String) async -> Bool { true }
}
