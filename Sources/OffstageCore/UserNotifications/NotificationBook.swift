// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// The notifications of all apps: the pending and delivered ones, and the actions that follow from events.
///
/// A pure value: the daemon's `UserNotificationCenter` carries out its actions. The cost of an event grows with its
/// app's pending notifications (at most 64), the number of apps that have any, and their errands (at most 64 of each
/// kind).
package struct NotificationBook: Sendable {
    /// Facts needed in addition to events.
    package struct Surroundings: Sendable {
        package var now: Moment
        package var zone: CivilZone
        /// Whether an app is inactive or active.
        package var isInFront: @Sendable (String) -> Bool
        /// An unused number for an errand.
        package var makeNumber: @Sendable () -> UInt64

        package init(
            now: Moment,
            zone: CivilZone,
            isInFront: @escaping @Sendable (String) -> Bool,
            makeNumber: @escaping @Sendable () -> UInt64
        ) {
            self.now = now
            self.zone = zone
            self.isInFront = isInFront
            self.makeNumber = makeNumber
        }
    }

    /// The notifications of one app, by identifier.
    private struct Shelf: Sendable {
        var standing: NotificationStanding
        var pending: [String: NotificationRecord] = [:]
        /// Oldest first.
        var delivered: [NotificationRecord] = []
    }

    /// The most pending notifications of an app; the soonest are kept, as on a phone.
    package static let pendingLimit = 64
    /// The most delivered notifications that an app can list; the newest are kept.
    package static let deliveredLimit = 64
    /// The most errands of a kind that an app has under way, from their beginning to their end.
    package static let errandLimit = 64
    /// Seconds until an app that ended too early is launched again for an answer; after the last pause it is not
    /// launched again.
    private static let pauses = [10.0, 120.0]

    private var shelves: [String: Shelf] = [:]
    private var errands: [UInt64: NotificationErrand] = [:]
    /// Errands of apps in front that have decided what to show, and continue.
    private var decided: Set<UInt64> = []
    /// When waiting errands begin, in seconds on the boot-time clock.
    private var paused: [UInt64: Double] = [:]

    package init() {}

    /// Loads the stored notifications; `restored` follows when all apps have been found.
    package mutating func recall(_ standings: [NotificationStanding], _ records: [NotificationRecord]) {
        for standing in standings { shelves[standing.app] = Shelf(standing: standing) }
        for record in records {
            let identifier = record.request.identifier
            switch record.phase {
            case .pending: change(record.app) { $0.pending[identifier] = record }
            case .delivered: change(record.app) { $0.delivered.append(record) }
            case .answered(_, _, let number, _):
                errands[number] = NotificationErrand(number: number, kind: .answer, record: record)
            }
        }
        for app in shelves.keys { shelves[app]?.delivered.sort(by: Self.isEarlier) }
    }

    private static func isEarlier(_ one: NotificationRecord, _ other: NotificationRecord) -> Bool {
        guard case .delivered(let first) = one.phase, case .delivered(let second) = other.phase else { return false }
        return first < second
    }

    // MARK: Questions

    package func standing(of app: String) -> NotificationStanding {
        shelves[app]?.standing ?? NotificationStanding(app: app)
    }

    /// Earliest first.
    package func pending(of app: String, now: Moment) -> [NotificationRecord] {
        (shelves[app]?.pending.values).map { records in
            records.sorted { ($0.date(at: now), $0.request.identifier) < ($1.date(at: now), $1.request.identifier) }
        } ?? []
    }

    /// Newest first.
    package func delivered(of app: String) -> [NotificationRecord] { shelves[app]?.delivered.reversed() ?? [] }

    /// The apps that have any notifications, by name.
    package var apps: [String] {
        shelves.filter { !$0.value.pending.isEmpty || !$0.value.delivered.isEmpty }.keys.sorted()
    }

    /// Whether another errand of a kind may begin for an app.
    private func hasRoom(for kind: NotificationErrand.Kind, of app: String) -> Bool {
        errands.values.count(where: { $0.kind == kind && $0.record.app == app }) < Self.errandLimit
    }

    package func errand(_ number: UInt64) -> NotificationErrand? { errands[number] }

    /// The numbers of errands under way.
    package var errandNumbers: [UInt64] { errands.keys.sorted() }

    /// When something is next due: on the boot-time clock, and on the wall clock.
    package func nextLook(now: Moment) -> (uptime: Double?, wall: Double?) {
        var (uptime, wall): (Double?, Double?)
        for shelf in shelves.values {
            for record in shelf.pending.values {
                switch record.phase {
                case .pending(.deadline(let deadline)):
                    uptime = earlier(uptime, now.uptime + deadline.remaining(at: now))
                case .pending(.date(let date)): wall = earlier(wall, date.timeIntervalSince1970)
                case .delivered, .answered: break
                }
            }
        }
        for due in paused.values { uptime = earlier(uptime, due) }
        return (uptime, wall)
    }

    private func earlier(_ one: Double?, _ other: Double) -> Double { one.map { min($0, other) } ?? other }

    // MARK: Events

    package mutating func handle(_ event: NotificationEvent, _ around: Surroundings) -> [NotificationAction] {
        var actions: [NotificationAction] = []
        switch event {
        case .authorize(let app, let options):
            change(app) { $0.standing.options = ($0.standing.options ?? 0) | options }
            actions.append(.store(.putStanding(standing(of: app))))
        case .setCategories(let app, let categories):
            change(app) { $0.standing.categories = categories }
            actions.append(.store(.putStanding(standing(of: app))))
        case .add(let app, let request): add(request, app, around, &actions)
        case .remove(let app, let place, let identifiers): remove(app, place, identifiers, &actions)
        case .answer(let app, let identifier, let answer, let number):
            self.answer(app, identifier, answer, number, &actions)
        case .presented(let number, let options): presented(number, options, around, &actions)
        case .errandEnded(let number, let end): ended(number, end, around, &actions)
        case .appRemoved(let app):
            guard let shelf = shelves.removeValue(forKey: app) else { break }
            errands = errands.filter { $0.value.record.app != app }
            paused = paused.filter { errands[$0.key] != nil }
            decided = decided.filter { errands[$0] != nil }
            actions += shelf.delivered.map { .withdraw(app: app, identifier: $0.request.identifier) }
            actions.append(.store(.deleteApp(app)))
        case .timeIsUp:
            deliverDue(around, &actions)
            for (number, due) in paused.sorted(by: { $0.key < $1.key }) where due <= around.now.uptime {
                paused[number] = nil
                if let errand = errands[number] { actions.append(.start(errand)) }
            }
        case .restored:
            for app in shelves.keys.sorted() {
                trimPending(app, around, &actions)
                trimDelivered(app, &actions)
            }
            actions += errands.values.sorted { $0.number < $1.number }.map { .start($0) }
            deliverDue(around, &actions)
        }
        return actions
    }

    private mutating func add(
        _ request: LocalNotification,
        _ app: String,
        _ around: Surroundings,
        _ actions: inout [NotificationAction]
    ) {
        let identifier = request.identifier
        if change(app, { $0.pending.removeValue(forKey: identifier) }) != nil {
            actions.append(.store(.delete(app: app, identifier: identifier, .pending)))
        }
        guard let due = Self.due(of: request.trigger, around) else {
            if case .immediately = request.trigger {
                deliver(
                    NotificationRecord(app: app, request: request, phase: .delivered(around.now.wall)),
                    around,
                    &actions
                )
            }
            return
        }
        let record = NotificationRecord(app: app, request: request, phase: .pending(due))
        change(app) { $0.pending[identifier] = record }
        actions.append(.store(.put(record)))
        trimPending(app, around, &actions)
    }

    private mutating func trimPending(_ app: String, _ around: Surroundings, _ actions: inout [NotificationAction]) {
        for surplus in pending(of: app, now: around.now).dropFirst(Self.pendingLimit) {
            let identifier = surplus.request.identifier
            change(app) { $0.pending[identifier] = nil }
            actions.append(.store(.delete(app: app, identifier: identifier, .pending)))
        }
    }

    @discardableResult
    private mutating func change<Result>(_ app: String, _ body: (inout Shelf) -> Result) -> Result {
        body(&shelves[app, default: Shelf(standing: NotificationStanding(app: app))])
    }

    /// When it is first or next due; nil for at once and for never.
    private static func due(of trigger: NotificationTrigger, _ around: Surroundings) -> NotificationRecord.Due? {
        switch trigger {
        case .immediately: nil
        case .interval(let seconds, _): .deadline(Deadline(setAt: around.now, delay: seconds))
        case .calendar(let pattern, _): pattern.next(after: around.now.wall, in: around.zone).map { .date($0) }
        case .dates(let dates): dates.filter { $0 > around.now.wall }.min().map { .date($0) }
        }
    }

    private mutating func remove(
        _ app: String,
        _ place: NotificationRecord.Place,
        _ identifiers: [String]?,
        _ actions: inout [NotificationAction]
    ) {
        guard let shelf = shelves[app], place != .answered else { return }
        let there =
            place == .pending ? Array(shelf.pending.keys) : shelf.delivered.map(\.request.identifier)
        let wanted = identifiers.map(Set.init)
        for identifier in there.sorted() where wanted?.contains(identifier) ?? true {
            if place == .pending {
                change(app) { $0.pending[identifier] = nil }
            } else {
                takeDelivered(app, identifier)
                actions.append(.withdraw(app: app, identifier: identifier))
            }
            actions.append(.store(.delete(app: app, identifier: identifier, place)))
        }
    }

    // MARK: Delivery

    private mutating func deliverDue(_ around: Surroundings, _ actions: inout [NotificationAction]) {
        let due = shelves.values.flatMap { $0.pending.values.filter { $0.isDue(at: around.now) } }
        for record in due.sorted(by: { ($0.date(at: around.now), $0.app) < ($1.date(at: around.now), $1.app) }) {
            setNext(record, around, &actions)
            var delivered = record
            delivered.phase = .delivered(around.now.wall)
            deliver(delivered, around, &actions)
        }
    }

    /// A repeating notification waits for its next time. If several times were missed, it is delivered once.
    private mutating func setNext(
        _ record: NotificationRecord,
        _ around: Surroundings,
        _ actions: inout [NotificationAction]
    ) {
        let (app, identifier) = (record.app, record.request.identifier)
        let repeats: Bool
        switch record.request.trigger {
        case .immediately: repeats = false
        case .interval(_, let again), .calendar(_, let again): repeats = again
        case .dates: repeats = true
        }
        if repeats, let due = Self.due(of: record.request.trigger, around) {
            var next = record
            next.phase = .pending(due)
            change(app) { $0.pending[identifier] = next }
            actions.append(.store(.put(next)))
        } else {
            change(app) { $0.pending[identifier] = nil }
            actions.append(.store(.delete(app: app, identifier: identifier, .pending)))
        }
    }

    /// An app in front decides whether it is shown. It is shown for other apps, and for an app that has left too many
    /// undecided.
    private mutating func deliver(
        _ record: NotificationRecord,
        _ around: Surroundings,
        _ actions: inout [NotificationAction]
    ) {
        guard around.isInFront(record.app), hasRoom(for: .present, of: record.app) else {
            return show(record, &actions)
        }
        let errand = NotificationErrand(number: around.makeNumber(), kind: .present, record: record)
        errands[errand.number] = errand
        // It is not lost if the daemon ends meanwhile: the next daemon delivers it.
        actions.append(.store(.put(record)))
        actions.append(.start(errand))
    }

    /// The app in front chose not to show it.
    private mutating func keepSilent(_ record: NotificationRecord, _ actions: inout [NotificationAction]) {
        let (app, identifier) = (record.app, record.request.identifier)
        let former = shelves[app]?.delivered.last { $0.request.identifier == identifier }
        actions.append(
            .store(former.map { .put($0) } ?? .delete(app: app, identifier: identifier, .delivered))
        )
        actions.append(.keptSilent(record))
    }

    private mutating func show(_ record: NotificationRecord, _ actions: inout [NotificationAction]) {
        let (app, identifier) = (record.app, record.request.identifier)
        // A notification with the same identifier is replaced.
        takeDelivered(app, identifier)
        change(app) { $0.delivered.append(record) }
        actions.append(.store(.put(record)))
        trimDelivered(app, &actions)
        actions.append(.show(record, standing(of: app).category(record.request.content.category)))
    }

    private mutating func trimDelivered(_ app: String, _ actions: inout [NotificationAction]) {
        let surplus = shelves[app]?.delivered.dropLast(Self.deliveredLimit) ?? []
        guard !surplus.isEmpty else { return }
        change(app) { $0.delivered = Array($0.delivered.suffix(Self.deliveredLimit)) }
        for oldest in surplus {
            actions.append(.withdraw(app: app, identifier: oldest.request.identifier))
            actions.append(.store(.delete(app: app, identifier: oldest.request.identifier, .delivered)))
        }
    }

    @discardableResult
    private mutating func takeDelivered(_ app: String, _ identifier: String) -> NotificationRecord? {
        guard let index = shelves[app]?.delivered.firstIndex(where: { $0.request.identifier == identifier }) else {
            return nil
        }
        return change(app) { $0.delivered.remove(at: index) }
    }

    /// `list`, `banner`, and the older `alert`.
    private static let visible: UInt = 1 << 2 | 1 << 3 | 1 << 4

    private mutating func presented(
        _ number: UInt64,
        _ options: UInt,
        _ around: Surroundings,
        _ actions: inout [NotificationAction]
    ) {
        // The errand counts until its end, because the app's process has it until then.
        guard let errand = errands[number], errand.kind == .present, decided.insert(number).inserted else { return }
        if options & Self.visible != 0 {
            show(errand.record, &actions)
        } else {
            keepSilent(errand.record, &actions)
        }
    }

    // MARK: Answers

    private mutating func answer(
        _ app: String,
        _ identifier: String,
        _ answer: NotificationAnswer,
        _ number: UInt64,
        _ actions: inout [NotificationAction]
    ) {
        let found = shelves[app]?.delivered.first { $0.request.identifier == identifier }
        guard var record = found, case .delivered(let date) = record.phase else { return }
        let category = standing(of: app).category(record.request.content.category)
        let isHeardOf = answer.action != NotificationAnswer.dismissAction || category?.hearsOfDismissal == true
        // It stays, to be answered later, while too many answers wait for the app.
        if isHeardOf, !hasRoom(for: .answer, of: app) { return }
        takeDelivered(app, identifier)
        actions.append(.withdraw(app: app, identifier: identifier))
        actions.append(.store(.delete(app: app, identifier: identifier, .delivered)))
        guard isHeardOf else { return }
        record.phase = .answered(answer, delivered: date, number: number, attempts: 1)
        let errand = NotificationErrand(number: number, kind: .answer, record: record)
        errands[number] = errand
        actions.append(.store(.put(record)))
        let action = category?.actions.first { $0.identifier == answer.action }
        if answer.action == NotificationAnswer.defaultAction || action?.opensApp == true {
            actions.append(.open(app: app))
        }
        actions.append(.start(errand))
    }

    private mutating func ended(
        _ number: UInt64,
        _ end: NotificationErrand.End,
        _ around: Surroundings,
        _ actions: inout [NotificationAction]
    ) {
        guard var errand = errands.removeValue(forKey: number) else { return }
        switch errand.kind {
        case .present:
            if decided.remove(number) != nil { return }
            // If the app could not be asked, it is shown.
            if end == .failed { show(errand.record, &actions) } else { keepSilent(errand.record, &actions) }
        case .answer:
            let (app, identifier) = (errand.record.app, errand.record.request.identifier)
            guard case .answered(let answer, let date, _, let attempts) = errand.record.phase, attempts > 0 else {
                return
            }
            guard end == .failed, attempts <= Self.pauses.count else {
                actions.append(.store(.delete(app: app, identifier: identifier, .answered)))
                return actions.append(.answered(errand.record, end))
            }
            errand.number = around.makeNumber()
            errand.record.phase = .answered(answer, delivered: date, number: errand.number, attempts: attempts + 1)
            errands[errand.number] = errand
            actions.append(.store(.put(errand.record)))
            paused[errand.number] = around.now.uptime + Self.pauses[attempts - 1]
        }
    }
}
