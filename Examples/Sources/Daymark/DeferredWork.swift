// SPDX-License-Identifier: Apache-2.0
import BackgroundTasks
import Foundation

/// The work that the app schedules for when it is not in use.
final class DeferredWork {
    private static let refresh = "com.example.Daymark.refresh"
    private static let tidy = "com.example.Daymark.tidy"

    private let plan: Plan
    private let events: EventSender
    private let log: AppLog

    init(plan: Plan, events: EventSender, log: AppLog) {
        self.plan = plan
        self.events = events
        self.log = log
    }

    /// Registers the handlers: at every launch, before `didFinishLaunching` returns.
    func register() {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: Self.refresh, using: nil) { task in
            self.run(task, "refresh", thenSubmit: self.submitRefresh)
        }
        BGTaskScheduler.shared.register(forTaskWithIdentifier: Self.tidy, using: nil) { task in
            self.run(task, "tidy", thenSubmit: self.submitTidying)
        }
    }

    /// Submits the next request of each kind.
    func submit() {
        switch plan.shape {
        case .proper:
            submitRefresh()
            submitTidying()
        case .articles:
            submitAsInArticles(Self.refresh)
            submitAsInArticles(Self.tidy)
        }
    }

    private func submitRefresh() {
        if plan.shape == .articles { return submitAsInArticles(Self.refresh) }
        let request = BGAppRefreshTaskRequest(identifier: Self.refresh)
        request.earliestBeginDate = Date(timeIntervalSinceNow: plan.interval)
        submit(request, "refresh")
    }

    private func submitTidying() {
        if plan.shape == .articles { return submitAsInArticles(Self.tidy) }
        let request = BGProcessingTaskRequest(identifier: Self.tidy)
        request.earliestBeginDate = Date(timeIntervalSinceNow: 4 * plan.interval)
        request.requiresNetworkConnectivity = true
        submit(request, "tidy")
    }

    private func submit(_ request: BGTaskRequest, _ name: String) {
        do {
            try BGTaskScheduler.shared.submit(request)
            log.note("submitted \(name)")
        } catch {
            log.note("not-submitted \(name) \((error as NSError).code)")
        }
    }

    /// The mistake of many articles: an app may have only one refresh request, so the second is refused, and the error
    /// is ignored.
    private func submitAsInArticles(_ identifier: String) {
        let request = BGAppRefreshTaskRequest(identifier: identifier)
        request.earliestBeginDate = Date(timeIntervalSinceNow: plan.interval)
        try? BGTaskScheduler.shared.submit(request)
    }

    /// Does the work that is due, and submits the next request, since each is good for one run: before the work, or, as
    /// in many articles, when it is done and the task is completed.
    private func run(_ task: BGTask, _ name: String, thenSubmit next: () -> Void) {
        log.note("entered \(name)")
        task.expirationHandler = { [log] in
            log.note("time-is-up \(name)")
            task.setTaskCompleted(success: false)
        }
        if plan.shape == .proper { next() }
        let success = events.send(name)
        log.note("done \(name)")
        task.setTaskCompleted(success: success)
        if plan.shape == .articles { next() }
    }
}
