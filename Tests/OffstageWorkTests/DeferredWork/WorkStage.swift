// SPDX-License-Identifier: Apache-2.0
import EngineTestSupport
import FoundationEssentials
import OffstageCore
import OffstageProtocol
import OffstageRuntime
import OffstageStore
import OffstageTestSupport
import OffstageWork

/// Deferred work and notifications as a daemon carries them out, in virtual time, without apps, server or transfers.
///
/// `@unchecked Sendable`: belongs to the test's one thread.
final class WorkStage: @unchecked Sendable {
    static let app = "org.example.app"

    let engine: EngineStage
    let world: AppWorld
    let apps: StandInApps
    let transfers: StandInTransfers
    let center: TaskCenter
    let notifications: UserNotificationCenter
    let announcer: TransferAnnouncer
    let desktop: StandInDesktop
    /// The phase of each task in the store's file when its app was notified, read through a separate connection.
    let phases = Monitor<[UInt64: TaskRecord.Phase]>([:])

    /// - Parameters:
    ///   - sources: the sources of the machine's conditions.
    ///   - isIdeal: whether to pretend that the conditions are the best.
    /// - Throws: as `EngineStage`.
    convenience init(sources: MachineSources = .silent, isIdeal: Bool = true) throws {
        try self.init(EngineStage(), AppWorld(), sources, isIdeal: isIdeal)
    }

    private init(_ engine: EngineStage, _ world: AppWorld, _ sources: MachineSources, isIdeal: Bool) throws {
        self.engine = engine
        self.world = world
        let (loop, store, phases) = (engine.loop, engine.store, phases)
        let apps = StandInApps(loop: loop, world: world) { number in
            guard world.state.withLock(\.looksAtStore) else { return }
            try? store.forEachTask { record in
                if record.request.number == number { phases.withLock { $0[number] = record.phase } }
            }
        }
        self.apps = apps
        transfers = StandInTransfers(loop: loop)
        center = try TaskCenter(
            loop: loop,
            queue: transfers,
            apps: apps,
            workers: engine.workers,
            store: store,
            trouble: engine.trouble,
            clock: engine.clock,
            policy: TaskPolicy(),
            folder: engine.directory.path,
            sources: sources,
            lowDataMode: false,
            log: engine.log
        )
        desktop = StandInDesktop(loop: loop)
        notifications = try UserNotificationCenter(
            loop: loop,
            tasks: center,
            apps: apps,
            store: store,
            settings: Settings(),
            clock: engine.clock,
            desktop: desktop.link
        )
        announcer = TransferAnnouncer(loop: loop, desktop: desktop.link)
        let (center, notifications, announcer, desktop) = (center, notifications, announcer, desktop)
        loop.post {
            center.assumeIsolated { $0.start() }
            notifications.assumeIsolated { $0.start() }
            announcer.assumeIsolated { $0.start() }
            desktop.start()
        }
        engine.atEnd { await center.shutDown() }
        engine.settle()
        if isIdeal { try pretend(.ideal) }
    }

    /// The next daemon, with the store and the apps of this one, which is cut off at this point.
    func next(after seconds: Double = 0) throws -> WorkStage {
        try WorkStage(engine.next(after: seconds), world, .silent, isIdeal: true)
    }

    var facts: AppFacts {
        let identifiers = (0..<100).map { "task-\($0)" }
        return AppFacts(
            app: Self.app,
            process: ProcessIdentity(number: 1, startedAt: 1),
            executable: "/app",
            information: .init(backgroundModes: ["fetch", "processing"], permittedTaskIdentifiers: identifiers),
            launch: .init(arguments: [], workingDirectory: "/", environment: [:])
        )
    }

    var told: [String] { world.state.withLock(\.told).map(\.identifier) }

    // MARK: Deferred work

    /// Returns once the request is durable.
    func submit(_ draft: TaskDraft) throws {
        let (center, facts) = (center, facts)
        let reply = try engine.run { try await center.submit(SubmitTask(draft: draft), of: facts) }
        if let refusal = reply.refusal { throw TestError(refusal.sentence) }
    }

    func submit(_ identifier: String, after seconds: Double = 0) throws {
        try submit(draft(identifier, after: seconds))
    }

    func draft(_ identifier: String, after seconds: Double = 0) -> TaskDraft {
        TaskDraft(
            identifier: identifier,
            kind: .processing,
            earliestBegin: seconds > 0 ? engine.clock.now().wall.addingTimeInterval(seconds) : nil
        )
    }

    private func list() throws -> ListTasks.Reply {
        let center = center
        return try engine.run { try await center.list(ListTasks()) }
    }

    func rows() throws -> [TaskRow] { try list().rows }

    /// The outcomes of requests, oldest first.
    func history() throws -> [TaskEntry] { try list().history.reversed() }

    /// As `offstage simulate advance` does it: only the daemon's time moves on.
    @discardableResult
    func simulate(_ seconds: Double) throws -> AdvanceTime.Reply {
        let center = center
        return try engine.run { try await center.advance(AdvanceTime(seconds: seconds)) }
    }

    func pretend(_ pretended: PretendedConditions) throws {
        let center = center
        _ = try engine.run { try await center.pretend(PretendConditions(pretended: pretended)) }
    }

    func conditions() throws -> ConditionsReport {
        let center = center
        return try engine.run { await center.conditions() }.machine
    }

    // MARK: Notifications

    func authorize() throws {
        let (notifications, facts) = (notifications, facts)
        _ = try engine.run { try await notifications.authorize(AuthorizeNotifications(options: 4), of: facts) }
    }

    /// Returns the reason for the refusal.
    @discardableResult
    func add(_ identifier: String, _ trigger: NotificationTrigger) throws -> String? {
        var content = NotificationContent()
        content.title = "It is time for \(identifier)"
        let request = LocalNotification(identifier: identifier, content: content, trigger: trigger)
        let (notifications, facts) = (notifications, facts)
        let reply = try engine.run { try await notifications.add(AddNotification(request: request), of: facts) }
        engine.settle()
        return reply.refusal
    }

    func remove(_ identifiers: [String]?, isDelivered: Bool) throws {
        let (notifications, facts) = (notifications, facts)
        let request = RemoveNotifications(isDelivered: isDelivered, identifiers: identifiers)
        try engine.run { try await notifications.remove(request, of: facts) }
    }

    func notificationsNow() throws -> GetNotifications.Reply {
        let (notifications, facts) = (notifications, facts)
        return try engine.run { await notifications.get(of: facts) }
    }
}

extension PretendedConditions {
    /// Everything may run, whatever the machine is like.
    static var ideal: PretendedConditions {
        var ideal = PretendedConditions()
        (ideal.network, ideal.hasExternalPower, ideal.batteryCharge) = (.unmetered, true, 1)
        (ideal.isBusy, ideal.isDiskFull, ideal.isDataLow) = (false, false, false)
        return ideal
    }

    /// As `ideal`, on a battery.
    static var onBattery: PretendedConditions {
        var conditions = ideal
        conditions.hasExternalPower = false
        return conditions
    }
}
