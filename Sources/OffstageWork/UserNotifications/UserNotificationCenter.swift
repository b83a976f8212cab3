// SPDX-License-Identifier: Apache-2.0
import Glibc
package import OffstageCore
import OffstageProtocol
package import OffstageRuntime

/// Carries out the rules of `NotificationBook`: stores apps' requests, delivers notifications when they are due, and
/// reports people's answers to apps.
///
/// Runs on the daemon's loop. Decisions go to the store with the changes of deferred work, in the same order. An app's
/// process handles a notification like a deferred task: it is launched, woken and held for it.
package actor UserNotificationCenter {
    package typealias ConnectionID = UInt64

    nonisolated let loop: EventLoop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let tasks: TaskCenter
    let apps: any WorkApps
    let settings: Settings
    let clock: SystemClock
    private let alarm: EventLoop.Alarm
    private let zone = CivilZone.ofThisMachine

    var book = NotificationBook()
    package nonisolated let desktop: DesktopLink

    /// - Throws: `StoreError` if the notifications cannot be read.
    package init(
        loop: EventLoop,
        tasks: TaskCenter,
        apps: any WorkApps,
        store: any TaskStore,
        settings: Settings,
        clock: SystemClock,
        desktop: DesktopLink
    ) throws(StoreError) {
        self.loop = loop
        self.tasks = tasks
        self.apps = apps
        self.settings = settings
        self.clock = clock
        self.desktop = desktop
        alarm = loop.makeAlarm()
        let kept = try store.notifications()
        book.recall(kept.standings, kept.records)
    }

    package func start() {
        let numbers = book.errandNumbers
        loop.onAlarm(alarm) { [weak self] in self?.assumeIsolated { $0.step(.timeIsUp) } }
        let notices: @Sendable (TaskNotice, String) -> Void = { [weak self] notice, app in
            self?.assumeIsolated { $0.receive(notice, of: app) }
        }
        let removals: @Sendable (String) -> Void = { [weak self] app in
            self?.assumeIsolated { $0.step(.appRemoved(app)) }
        }
        tasks.assumeIsolated { tasks in
            for number in numbers { tasks.keepErrand(number) }
            tasks.setErrandSink(notices: notices, removals: removals)
        }
        desktop.assumeIsolated { desktop in
            desktop.onOutcome { [weak self] key, outcome in self?.assumeIsolated { $0.receive(outcome, of: key) } }
        }
        loop.startTask {
            await tasks.waitUntilReady()
            step(.restored)
        }
    }

    /// Handles the end of a connection.
    package func connectionEnded(_ connection: ConnectionID) {
        desktop.assumeIsolated { $0.connectionEnded(connection) }
    }

    // MARK: The book

    /// Passes an event to the book and performs the actions.
    func step(_ event: NotificationEvent) {
        let (apps, tasks) = (apps, tasks)
        let around = NotificationBook.Surroundings(
            now: clock.now(),
            zone: zone,
            isInFront: { app in apps.assumeIsolated { $0.isInFront(app) } },
            makeNumber: { tasks.assumeIsolated { $0.makeNumber() } }
        )
        for action in book.handle(event, around) { perform(action) }
        let next = book.nextLook(now: clock.now())
        loop.setAlarm(alarm, uptime: next.uptime, wall: next.wall)
    }

    private func perform(_ action: NotificationAction) {
        switch action {
        case .store(let change): tasks.assumeIsolated { $0.persist(.notification(change)) }
        case .show(let record, let category): show(record, category)
        case .withdraw(let app, let identifier):
            desktop.assumeIsolated { $0.close(DesktopLink.Key(app: app, identifier: identifier)) }
        case .keptSilent(let record): report(of: record, .keptSilent)
        case .open(let app): apps.assumeIsolated { $0.bringToFront(app) }
        case .start(let errand): start(errand)
        case .answered(let record, let end): reportAnswer(record, end)
        }
    }

    private func show(_ record: NotificationRecord, _ category: NotificationStanding.Category?) {
        let content = record.request.content
        let options = book.standing(of: record.app).options ?? 0
        let shown = DesktopNotification(
            key: 0,
            appName: apps.assumeIsolated { $0.name(of: record.app) },
            title: content.headline,
            body: [content.title.isEmpty ? "" : content.subtitle, content.title.isEmpty ? "" : content.body]
                .filter { !$0.isEmpty }.joined(separator: "\n"),
            actions: Array((category?.actions ?? []).filter { $0.textTitle == nil }.prefix(10)),
            urgency: content.interruption == 0 ? 0 : content.interruption == 3 ? 2 : 1,
            isSilent: content.sound == nil || options & Self.sound == 0
        )
        desktop.assumeIsolated {
            $0.show(shown, DesktopLink.Key(app: record.app, identifier: record.request.identifier))
        }
    }

    /// `UNAuthorizationOptions.sound`
    private static let sound: UInt = 1 << 1

    private func report(of record: NotificationRecord, _ outcome: AppEntry.NotificationOutcome) {
        let headline = record.request.content.headline
        apps.assumeIsolated { $0.recordNotification(headline, outcome, of: record.app) }
    }

    private func reportAnswer(_ record: NotificationRecord, _ end: NotificationErrand.End) {
        guard case .answered(let answer, _, _, _) = record.phase else { return }
        switch end {
        case .done: report(of: record, .answered(action: answer.action))
        case .noDelegate:
            report(of: record, .answerNotHeard(action: answer.action, "it has no delegate for notifications"))
        case .failed: report(of: record, .answerNotHeard(action: answer.action, "its process ended each time"))
        }
    }

    // MARK: Errands

    /// The time that a phone gives a delegate for an errand.
    private static let errandSeconds = 30.0

    private func start(_ errand: NotificationErrand) {
        let launch = TaskLaunch(
            number: errand.number,
            identifier: errand.identifier,
            kind: .refresh,
            seconds: Self.errandSeconds
        )
        let isKnown = apps.assumeIsolated { $0.startTask(launch, app: errand.record.app) }
        // One turn later, because the book is handling an event.
        if !isKnown { loop.post { [weak self] in self?.assumeIsolated { $0.ended(errand.number, .noDelegate) } } }
    }

    private func receive(_ notice: TaskNotice, of app: String) {
        switch notice {
        case .entered, .progress: break
        case .returned(let number, _): ended(number, .failed, of: app)
        case .ended(let number, let ending):
            switch ending {
            case .completed, .expired, .killed: ended(number, .done, of: app)
            case .noHandler: ended(number, .noDelegate, of: app)
            case .appEnded, .launchFailed, .quit: ended(number, .failed, of: app)
            }
        }
    }

    private func ended(_ number: UInt64, _ end: NotificationErrand.End, of app: String? = nil) {
        guard let errand = book.errand(number), app == nil || app == errand.record.app else { return }
        // Deferred, because the app's rule is handling an event.
        loop.post { [weak self] in self?.assumeIsolated { $0.step(.errandEnded(number: number, end)) } }
    }

    // MARK: The desktop

    private func receive(_ outcome: ReportDesktop.Outcome, of key: DesktopLink.Key) {
        let found = book.delivered(of: key.app).first { $0.request.identifier == key.identifier }
        switch outcome {
        case .shown: if let found { report(of: found, .shown) }
        case .failed(let why): if let found { report(of: found, .notShown(why)) }
        case .answered(let answer): answered(key, answer)
        }
    }

    /// Handles a person's answer; false if the notification no longer exists, or is kept because its app has too many
    /// unreported answers.
    @discardableResult
    func answered(_ key: DesktopLink.Key, _ answer: NotificationAnswer) -> Bool {
        guard isDelivered(key) else { return false }
        let number = tasks.assumeIsolated { $0.makeNumber() }
        step(.answer(app: key.app, identifier: key.identifier, answer, number: number))
        return !isDelivered(key)
    }

    private func isDelivered(_ key: DesktopLink.Key) -> Bool {
        book.delivered(of: key.app).contains { $0.request.identifier == key.identifier }
    }
}
