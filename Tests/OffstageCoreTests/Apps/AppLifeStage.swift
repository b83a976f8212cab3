// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// One app's life with a clock of its own, for tests that play the daemon.
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
    /// What was done at the last event, without entries.
    private(set) var actions: [AppAction] = []
    private(set) var story: [AppEntry.Happening] = []

    init(_ policy: AppLife.Policy = .init(), change: (inout AppRegistration) -> Void = { _ in }) {
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

    /// What the schedule of deferred work was told at the last event.
    var notices: [TaskNotice] {
        actions.compactMap { if case .taskNotice(let notice) = $0 { notice } else { nil } }
    }

    var now: Moment { Fixture.moment(time) }

    @discardableResult mutating func handle(_ event: AppEvent, after seconds: Double = 0) -> [AppAction] {
        time += seconds
        let all = life.handle(event, now: now, token: "token")
        actions = []
        for action in all {
            if case .record(let entry) = action { story.append(entry.happening) } else { actions.append(action) }
        }
        return actions
    }

    /// Everything, and `committed` whenever something was to be made durable.
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

    /// Lets the time come that the life waits for.
    @discardableResult mutating func waitForItsTime() -> [AppAction] {
        guard let next = life.nextLook else { return [] }
        time = next - 5000
        return handle(.timeIsUp)
    }
}

/// An app's process in each situation that a test may begin with.
extension AppLifeStage {
    static func active(_ policy: AppLife.Policy = .init()) -> AppLifeStage {
        var stage = AppLifeStage(policy)
        stage.play(.attached(first, StageView()), .report(.launched), .report(.state(.active)))
        return stage
    }

    static func suspended(_ policy: AppLife.Policy = .init()) -> AppLifeStage {
        var stage = active(policy)
        stage.play(.background, .report(.state(.background)), .observed(isStopped: true))
        return stage
    }

    /// Suspended, and woken for a task whose handler it has entered.
    static func working(_ policy: AppLife.Policy = .init(), _ launch: TaskLaunch = refresh) -> AppLifeStage {
        var stage = suspended(policy)
        stage.play(
            .startTask(launch), .observed(isStopped: false), .report(.state(.background)),
            .report(.taskEntered(launch.number))
        )
        return stage
    }

    static func launchingInBackground(_ policy: AppLife.Policy = .init()) -> AppLifeStage {
        var stage = AppLifeStage(policy)
        stage.play(.sessionNeedsApp("photos"), .spawned(first), .attached(first, StageView()))
        return stage
    }
}
