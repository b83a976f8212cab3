// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// One app's life with its own clock, for tests that play the daemon.
struct AppLifeStage {
    static let first = ProcessIdentity(number: 100, startedAt: 1)
    static let second = ProcessIdentity(number: 200, startedAt: 2)
    static let refresh = TaskLaunch(number: 7, identifier: "sync", kind: .refresh, seconds: 60)
    static let viewAtWork = StageView(state: .background, runningTasks: [7: true])
    static let halfWay = TaskProgress(title: "Sync", subtitle: "", completed: 1, total: 2)
    static let upload = BackgroundTask(id: 1, name: "upload", beganAt: 5000)

    var life: AppLife
    /// Seconds since the start.
    var time = 0.0
    /// The actions of the last event, without entries.
    private(set) var actions: [AppAction] = []
    private(set) var story: [AppEntry.Happening] = []
    /// Whether there is no grace, and the process reports at once that it may be stopped. For tests that are not about
    /// how an idle app becomes suspended.
    let restsAtOnce: Bool

    init(
        _ policy: AppLife.Policy = .init(),
        restsAtOnce: Bool = true,
        change: (inout AppRegistration) -> Void = { _ in }
    ) {
        self.restsAtOnce = restsAtOnce
        var policy = policy
        if restsAtOnce { policy.suspendGrace = 0 }
        var registration = AppRegistration(
            id: "org.example.app",
            executable: "/opt/app",
            information: .init(),
            launch: .init(arguments: [], workingDirectory: "/", environment: [:])
        )
        registration.hasAttached = true
        change(&registration)
        life = AppLife(registration, policy: policy)
    }

    /// The notices that the schedule of deferred work received at the last event.
    var notices: [TaskNotice] {
        actions.compactMap { if case .taskNotice(let notice) = $0 { notice } else { nil } }
    }

    var now: Moment { Fixture.moment(time) }

    @discardableResult mutating func handle(_ event: AppEvent, after seconds: Double = 0) -> [AppAction] {
        time += seconds
        var all = life.handle(event, now: now, token: "token")
        if restsAtOnce, let place = all.firstIndex(where: { $0.asked != nil }), let number = all[place].asked {
            all[place...place] = life.handle(.report(.readyToSuspend(number)), now: now, token: "token")[...]
        }
        actions = []
        for action in all {
            if case .record(let entry) = action { story.append(entry.happening) } else { actions.append(action) }
        }
        return actions
    }

    /// Handles all events, each followed by `committed` if there was something to make durable.
    mutating func play(_ events: AppEvent...) {
        for event in events {
            handle(event)
            if actions.contains(.persist) {
                let before = actions
                handle(.committed)
                actions = before + actions
            }
        }
    }

    /// Advances the time to the life's next look.
    @discardableResult mutating func waitForItsTime() -> [AppAction] {
        guard let next = life.nextLook else { return [] }
        time = next - 5000
        return handle(.timeIsUp)
    }

    /// Lets the grace of an idle app pass; its process then reports that it may be stopped.
    @discardableResult mutating func rest() -> [AppAction] {
        waitForItsTime()
        guard let number = actions.last?.asked else { return actions }
        return handle(.report(.readyToSuspend(number)))
    }
}

extension AppAction {
    /// The number of the question whether the process may be stopped; nil for any other action.
    var asked: Int? { if case .send(.prepareToSuspend(let number)) = self { number } else { nil } }
}

/// An app's process in each situation in which a test may begin.
extension AppLifeStage {
    static func active(_ policy: AppLife.Policy = .init(), restsAtOnce: Bool = true) -> AppLifeStage {
        var stage = AppLifeStage(policy, restsAtOnce: restsAtOnce)
        stage.play(.attached(first, StageView()), .report(.launched), .report(.state(.active)))
        return stage
    }

    static func suspended(_ policy: AppLife.Policy = .init(), restsAtOnce: Bool = true) -> AppLifeStage {
        var stage = active(policy, restsAtOnce: restsAtOnce)
        stage.play(.background, .report(.state(.background)))
        if !restsAtOnce { stage.rest() }
        stage.play(.observed(isStopped: true))
        return stage
    }

    /// Suspended, and woken for a task whose handler it has entered.
    static func working(
        _ policy: AppLife.Policy = .init(),
        _ launch: TaskLaunch = refresh,
        restsAtOnce: Bool = true
    ) -> AppLifeStage {
        var stage = suspended(policy, restsAtOnce: restsAtOnce)
        stage.play(
            .startTask(launch),
            .observed(isStopped: false),
            .report(.state(.background)),
            .report(.taskEntered(launch.number))
        )
        return stage
    }

    static func launchingInBackground(
        _ policy: AppLife.Policy = .init(),
        restsAtOnce: Bool = true
    ) -> AppLifeStage {
        var stage = AppLifeStage(policy, restsAtOnce: restsAtOnce)
        stage.play(.sessionNeedsApp("photos"), .spawned(first), .attached(first, StageView()))
        return stage
    }
}
