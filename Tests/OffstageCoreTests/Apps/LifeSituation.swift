// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// The situations in which events may find an app: its states, with background and launching split as needed.
enum LifeSituation: String, CaseIterable {
    case terminated
    /// A person wants it; that is not durable yet.
    case wanted
    /// The kernel was asked to spawn the process.
    case spawning
    /// By a person; its process is connected.
    case launching
    /// For its session "photos"; its process is connected.
    case launchingBehind = "launching in background"
    /// For its deferred task; its process is connected.
    case launchingForTask = "launching for a task"
    case inactive
    case active
    /// `applicationDidEnterBackground` has not returned.
    case entering
    /// In background, with a background task.
    case busy
    /// In background; its last background task has just ended.
    case resting
    /// As before, and its process was asked whether it may be stopped.
    case asked
    /// In background, with a session's events that it has been notified of.
    case handling
    /// As before, with the completion handler called; the events may still be on their way.
    case settling
    /// In background, with its expiration handlers being called.
    case expiring
    /// In background, with a deferred task whose handler was entered.
    case working
    /// As before, and the task was asked to end.
    case overdue
    case suspended
    /// Suspended; the kernel has not confirmed it yet.
    case stopping
    /// `applicationWillTerminate` was called.
    case ending
    /// It was suspended and is being reclaimed; the record of that is not durable yet.
    case condemned

    var stage: AppLifeStage {
        var stage = AppLifeStage(restsAtOnce: false)
        switch self {
        case .terminated: break
        case .wanted: stage.handle(.launch(.person))
        case .spawning: stage.play(.launch(.person))
        case .launching: stage.play(.attached(AppLifeStage.first, StageView()))
        case .launchingBehind: stage = .launchingInBackground(restsAtOnce: false)
        case .launchingForTask:
            stage.play(
                .startTask(AppLifeStage.refresh),
                .spawned(AppLifeStage.first),
                .attached(AppLifeStage.first, StageView())
            )
        case .inactive: stage.play(.attached(AppLifeStage.first, StageView()), .report(.launched))
        case .active: stage = .active(restsAtOnce: false)
        case .entering:
            stage = .active(restsAtOnce: false)
            stage.play(.background)
        case .busy, .expiring:
            stage = .active(restsAtOnce: false)
            stage.play(.report(.beganTask(AppLifeStage.upload)), .background, .report(.state(.background)))
            if self == .expiring { stage.waitForItsTime() }
        case .resting, .asked:
            stage = .active(restsAtOnce: false)
            stage.play(.background, .report(.state(.background)))
            if self == .asked { stage.waitForItsTime() }
        case .handling, .settling:
            stage = .suspended(restsAtOnce: false)
            stage.play(.sessionNeedsApp("photos"), .observed(isStopped: false), .report(.state(.background)))
            if self == .settling { stage.play(.report(.handled(session: "photos"))) }
        case .working, .overdue:
            stage = .working(restsAtOnce: false)
            if self == .overdue { stage.waitForItsTime() }
        case .suspended: stage = .suspended(restsAtOnce: false)
        case .stopping:
            stage = .active(restsAtOnce: false)
            stage.play(.background, .report(.state(.background)))
            stage.rest()
        case .condemned:
            stage = .suspended(restsAtOnce: false)
            stage.handle(.reclaim)
        case .ending:
            stage = .active(restsAtOnce: false)
            stage.play(.terminate)
        }
        return stage
    }
}

/// All events that an app may receive, by the names that the table and the documents use.
enum LifeEvents {
    static let all: [(name: String, event: AppEvent)] = [
        ("launch", .launch(.person)),
        ("launch in background", .launch(.personInBackground)),
        ("foreground", .foreground),
        ("background", .background),
        ("quit", .quit(keepsTransfers: false)),
        ("quit keeping transfers", .quit(keepsTransfers: true)),
        ("terminate", .terminate),
        ("reclaim", .reclaim),
        ("memory warning", .memoryWarning),
        ("session needs app", .sessionNeedsApp("photos")),
        ("session settled", .sessionSettled("photos")),
        ("transfers cancelled", .transfersCancelled),
        ("launch for task", .launch(.task("sync"))),
        ("start task", .startTask(TaskLaunch(number: 9, identifier: "tidy", kind: .processing, seconds: 600))),
        ("resume task", .resumeTask(TaskLaunch(number: 9, identifier: "tidy", kind: .processing, seconds: 600))),
        ("expire task", .expireTask(7, .machineBusy)),
        ("spawned", .spawned(AppLifeStage.second)),
        ("spawn failed", .spawnFailed("There is no such program.")),
        ("seen stopped", .observed(isStopped: true)),
        ("seen running", .observed(isStopped: false)),
        ("ended", .ended(.exited(0))),
        ("crashed", .ended(.signalled(11))),
        ("attached again, active", .attached(AppLifeStage.first, StageView(state: .active))),
        ("attached again, in background", .attached(AppLifeStage.first, StageView(state: .background))),
        ("attached again, with its task", .attached(AppLifeStage.first, AppLifeStage.viewAtWork)),
        ("another process", .attached(AppLifeStage.second, StageView())),
        ("disconnected", .disconnected),
        ("launched", .report(.launched)),
        ("is active", .report(.state(.active))),
        ("is inactive", .report(.state(.inactive))),
        ("is in background", .report(.state(.background))),
        ("began task", .report(.beganTask(BackgroundTask(id: 2, name: "late", beganAt: 5000)))),
        ("ended task", .report(.endedTask(1))),
        ("expired", .report(.expired)),
        ("announced", .report(.announced(session: "photos"))),
        ("handled", .report(.handled(session: "photos"))),
        ("task entered", .report(.taskEntered(7))),
        ("task completed", .report(.taskCompleted(TaskCompletion(number: 7, success: true)))),
        ("task unclaimed", .report(.taskUnclaimed(7))),
        ("task left out", .report(.taskLeftOut(7))),
        ("task progress", .report(.taskProgress(7, AppLifeStage.halfWay))),
        ("seen", .report(.visible(true))),
        ("not seen", .report(.visible(false))),
        ("left terminal", .report(.leftTerminal)),
        ("terminal in front", .report(.terminal(isInFront: true))),
        ("terminal behind", .report(.terminal(isInFront: false))),
        ("continued", .report(.continued)),
        ("finishing", .report(.finishing(1))),
        ("ready to suspend", .report(.readyToSuspend(1))),
        ("committed", .committed),
        ("time is up", .timeIsUp),
        ("machine slept", .machineSlept(60)),
        ("restored, stopped", .restored(isStopped: true)),
        ("restored, running", .restored(isStopped: false)),
        ("restored, gone", .restored(isStopped: nil)),
    ]

    /// Describes the outcome of an event: the next state and the actions; nil if nothing changes.
    static func outcome(of event: AppEvent, in situation: LifeSituation) -> (state: LifeState, done: [String])? {
        var stage = situation.stage
        let before = stage.life.state
        if case .restored = event {
            stage.life = AppLife(stage.life.registration, policy: stage.life.policy)
        }
        if event == .timeIsUp, let look = stage.life.nextLook { stage.time = look - 5000 }
        let actions = stage.life.handle(event, now: stage.now, token: "token")
        let done = actions.map(words)
        return done.isEmpty && stage.life.state == before ? nil : (stage.life.state, done)
    }

    static func words(_ action: AppAction) -> String {
        switch action {
        case .spawn: "spawn"
        case .send(let command): words(command)
        case .stop: "stop"
        case .resume: "continue"
        case .resumeBehindTerminal: "continue behind terminal"
        case .kill: "kill"
        case .observe: "look"
        case .setPriority(let isBackground): isBackground ? "lower priority" : "raise priority"
        case .record(let entry): "note " + words(entry.happening)
        case .persist: "persist"
        case .cancelTransfers: "cancel transfers"
        case .deliverEvents(let session): session == nil ? "deliver all" : "deliver"
        case .taskNotice(let notice): words(notice)
        case .refuseSecondProcess: "refuse"
        }
    }

    private static func words(_ notice: TaskNotice) -> String {
        switch notice {
        case .entered: "report entered"
        case .progress: "report progress"
        case .returned: "report returned"
        case .ended(_, let ending): "report ended, " + words(ending)
        }
    }

    private static func words(_ ending: TaskEnding) -> String {
        switch ending {
        case .completed: "completed"
        case .expired: "expired"
        case .killed: "killed"
        case .appEnded: "app gone"
        case .noHandler: "no handler"
        case .launchFailed: "no app"
        case .quit: "quit"
        }
    }

    private static func words(_ command: StageCommand) -> String {
        switch command {
        case .enterForeground: "send foreground"
        case .enterBackground: "send background"
        case .backgroundTime: "send time"
        case .expire: "send expire"
        case .handleEvents: "send events"
        case .startTask: "send task"
        case .expireTask: "send end of task"
        case .prepareToSuspend: "ask whether it may be stopped"
        case .memoryWarning: "send memory"
        case .terminate: "send terminate"
        }
    }

    private static func words(_ happening: AppEntry.Happening) -> String {
        switch happening {
        case .registered: "registered"
        case .launching: "launching"
        case .launchFailed: "failure"
        case .launchDelayed: "delay"
        case .attached: "attached"
        case .moved: "moved"
        case .woken: "woken"
        case .handledEvents: "handled"
        case .taskBegan: "task began"
        case .taskExpiring: "task expiring"
        case .taskEnded: "task ended"
        case .expiring: "expiring"
        case .eventsNotHandled: "not handled"
        case .notified: "notified"
        case .memoryWarning: "memory"
        case .debugged: "debugged"
        case .toldToEnd: "told"
        case .killed(let reason): "kill, " + words(reason)
        case .ended: "ended"
        case .quit: "quit"
        case .found: "found"
        }
    }

    private static func words(_ reason: AppEntry.KillReason) -> String {
        switch reason {
        case .backgroundTimeOver: "time over"
        case .didEnterBackgroundTooLong: "background call too long"
        case .eventsTooLong: "events too long"
        case .launchTooLong: "launch too long"
        case .taskTooLong: "task too long"
        case .terminateTooLong: "terminate too long"
        case .memoryPressure: "memory"
        case .terminated: "terminated"
        case .quit: "quit"
        case .replaced: "replaced"
        }
    }
}
