// SPDX-License-Identifier: Apache-2.0
package import OffstageCore
package import OffstageProtocol

/// Requests from apps and people about notifications.
extension UserNotificationCenter {
    // MARK: Apps

    package func authorize(_ request: AuthorizeNotifications, of facts: AppFacts) async throws
        -> AuthorizeNotifications.Reply
    {
        try await register(facts)
        step(.authorize(app: facts.app, options: request.options))
        try await tasks.untilDurable()
        return AuthorizeNotifications.Reply(isGranted: isAllowed(facts.app))
    }

    package func add(_ request: AddNotification, of facts: AppFacts) async throws -> AddNotification.Reply {
        if let problem = request.request.problem { throw WireFailure(.badRequest, problem) }
        await tasks.waitUntilReady()
        guard isAllowed(facts.app) else {
            return AddNotification.Reply(
                refusal: "the setting 'notifications' does not allow them for \(facts.app): change settings.json"
            )
        }
        guard book.standing(of: facts.app).options != nil else {
            return AddNotification.Reply(refusal: "the app has not called requestAuthorization(options:) yet")
        }
        step(.add(app: facts.app, request.request.shifted(by: clock.lead.seconds)))
        try await tasks.untilDurable()
        return AddNotification.Reply(refusal: nil)
    }

    package func remove(_ request: RemoveNotifications, of facts: AppFacts) async throws {
        await tasks.waitUntilReady()
        let place: NotificationRecord.Place = request.isDelivered ? .delivered : .pending
        step(.remove(app: facts.app, place, identifiers: request.identifiers))
        try await tasks.untilDurable()
    }

    package func get(of facts: AppFacts) async -> GetNotifications.Reply {
        await tasks.waitUntilReady()
        let (now, lead) = (clock.now(), clock.lead.seconds)
        return GetNotifications.Reply(
            pending: book.pending(of: facts.app, now: now).map { $0.request.shifted(by: -lead) },
            delivered: book.delivered(of: facts.app).map { record in
                DeliveredNotification(
                    request: record.request.shifted(by: -lead),
                    date: record.date(at: now).addingTimeInterval(-lead)
                )
            },
            standing: book.standing(of: facts.app),
            isAllowed: isAllowed(facts.app)
        )
    }

    package func setCategories(_ request: SetNotificationCategories, of facts: AppFacts) async throws {
        if let problem = NotificationStanding.problem(of: request.categories) {
            throw WireFailure(.badRequest, problem)
        }
        await tasks.waitUntilReady()
        step(.setCategories(app: facts.app, request.categories))
        try await tasks.untilDurable()
    }

    package func take(_ request: TakeNotificationErrand, of facts: AppFacts) -> TakeNotificationErrand.Reply {
        guard let errand = book.errand(request.number), errand.record.app == facts.app else {
            return TakeNotificationErrand.Reply(notification: nil, answer: nil)
        }
        let (record, lead) = (errand.record, clock.lead.seconds)
        let notification = DeliveredNotification(
            request: record.request.shifted(by: -lead),
            date: record.date(at: clock.now()).addingTimeInterval(-lead)
        )
        guard case .answered(let answer, _, _, _) = record.phase else {
            return TakeNotificationErrand.Reply(notification: notification, answer: nil)
        }
        return TakeNotificationErrand.Reply(notification: notification, answer: answer)
    }

    package func present(_ request: PresentNotification, of facts: AppFacts) async throws {
        guard book.errand(request.number)?.record.app == facts.app else { return }
        step(.presented(number: request.number, options: request.options))
        try await tasks.untilDurable()
    }

    private func isAllowed(_ app: String) -> Bool { settings.apps[app]?.notifications ?? settings.notifications }

    /// Registers the app: only a registered app can be launched when a person answers.
    private func register(_ facts: AppFacts) async throws {
        let isKnown = await apps.register(facts)
        guard isKnown else { throw WireFailure(.shuttingDown, "The daemon is stopping: try again.") }
    }

    // MARK: People

    package func list(_ request: ListNotifications) async -> ListNotifications.Reply {
        await tasks.waitUntilReady()
        let now = clock.now()
        let records = (request.app.map { [$0] } ?? book.apps).flatMap { app in
            book.pending(of: app, now: now) + book.delivered(of: app)
        }
        let rows = records.prefix(Self.mostRows).map { record in
            let content = record.request.content
            return NotificationRow(
                app: record.app,
                identifier: record.request.identifier,
                title: String(content.headline.prefix(Self.longestText)),
                body: String(content.body.prefix(Self.longestText)),
                isDelivered: record.place == .delivered,
                date: record.date(at: now),
                repeats: record.request.repeats,
                actions: Array((book.standing(of: record.app).category(content.category)?.actions ?? []).prefix(10))
            )
        }
        return ListNotifications.Reply(rows: rows, count: records.count)
    }

    /// The limits for a list's rows, which must fit an answer.
    private static var mostRows: Int { 500 }
    private static var longestText: Int { 500 }

    package func answer(_ request: AnswerNotification) async throws {
        await tasks.waitUntilReady()
        let (app, identifier) = (request.app, request.identifier)
        guard let record = book.delivered(of: app).first(where: { $0.request.identifier == identifier }) else {
            throw WireFailure(
                .notFound,
                "The app \(app.redactedControls) has no delivered notification '\(identifier.redactedControls)': 'offstage notifications' lists them."
            )
        }
        if request.answer.isTooLong {
            throw WireFailure(.badRequest, "The text of an answer may have at most 64 KiB.")
        }
        let offered = book.standing(of: app).category(record.request.content.category)?.actions.map(\.identifier) ?? []
        guard request.answer.isAmong(offered) else {
            let list = offered.isEmpty ? "it offers none" : "it offers \(offered.joined(separator: ", "))"
            throw WireFailure(
                .badRequest,
                "The notification '\(identifier.redactedControls)' has no action '\(request.answer.action.redactedControls)': \(list.redactedControls)."
            )
        }
        guard answered(DesktopLink.Key(app: app, identifier: identifier), request.answer) else {
            throw WireFailure(
                .notApplicable,
                "The app \(app.redactedControls) has \(NotificationBook.errandLimit) answers to hear of first: try again later."
            )
        }
        try await tasks.untilDurable()
    }
}

extension LocalNotification {
    /// Whether the notification repeats after its delivery.
    fileprivate var repeats: Bool {
        switch trigger {
        case .immediately: false
        case .interval(_, let repeats), .calendar(_, let repeats): repeats
        case .dates(let dates): dates.count > 1
        }
    }

    /// The same notification, for a clock advanced by a number of seconds.
    fileprivate func shifted(by seconds: Double) -> LocalNotification {
        guard seconds != 0, case .dates(let dates) = trigger else { return self }
        var shifted = self
        shifted.trigger = .dates(dates.map { $0.addingTimeInterval(seconds) })
        return shifted
    }
}
