// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// `docs/life-cycle.md`, made from the rule itself.
enum LifeCycleDocument {
    static var text: String {
        var lines = [opening, "", mark, "```mermaid", "stateDiagram-v2", "    [*] --> terminated"]
        for edge in edges {
            lines.append("    \(edge.from.rawValue) --> \(edge.to.rawValue): \(edge.events.joined(separator: ", "))")
        }
        lines += ["```", "", states, "", between]
        for situation in LifeSituation.allCases {
            lines += ["", "### " + heading(situation), ""] + table(of: situation)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static let opening = """
        # The life of an app

        A test generates this page from the rule (`AppLife`), and fails when the two differ;
        `OFFSTAGE_WRITE_DOCS=1 swift test --filter LifeCycleDocument` regenerates it. The basis of each line of the
        tables, an Apple document or a decision of this project, is in `Tests/OffstageCoreTests/Apps/LifeTable*.swift`.

        The picture omits what follows a lost connection or a restart of the daemon; the tables include it.
        """

    /// What `scripts/blocks` is given about the picture.
    private static let mark =
        "<!-- block: checked by Tests/OffstageCoreTests/Apps/LifeCycleDocumentTests.swift -->"

    private static let states = """
        | state | what it is |
        |---|---|
        | launching | a process exists, or is about to, and `didFinishLaunching` has not returned |
        | inactive | in front, but not yet, or no longer, in use |
        | active | in front and in use |
        | background | running in the background: it is on its way there, has time to finish, handles events, or does deferred work |
        | suspended | stopped by the kernel |
        | terminated | there is no process |

        An app is not stopped the moment its last hold ends (a background task, a session's events, deferred work,
        `applicationDidEnterBackground`). It keeps running for a grace period of 0.25 s (`suspendGrace` in the
        settings), and a new hold during that time counts as if there had been no gap. Then the daemon asks the process.
        If the app's code is running in a call from the library (a launch or expiration handler, a delegate call, a
        completion handler, `submit`) or has returned from one within the last 0.25 s, or if the main thread has not
        finished its work, the process reports this and is not stopped for up to 5 s. An unresponsive process is stopped
        after two seconds.

        An app has 5 s to return from `applicationDidEnterBackground` and from `applicationWillTerminate`, 20 s to
        launch in the background, and 30 s to call the completion handler of a session's events before it is suspended
        anyway. All its background tasks share the time of its profile (30 s by default). Its expiration handlers are
        called 5 s before that time ends, or after five sixths of it if it is shorter than 30 s, but at least 1 s before
        the end (or half the time, if it is shorter than 2 s): on a busy machine, an app also waits for a processor. An
        app that still holds tasks at the end, or has not returned, is killed; the reason is in its story before the
        kernel is asked to kill it.

        A deferred task has its own time, which starts when its process receives it: the time that the settings give for
        its kind, or no limit for continued processing. Its expiration handler is called with the same lead time, or
        earlier if a condition that it needs no longer holds; it then has 5 s. An app that has not completed the task by
        then is killed, unless it is in front, where a person may have unsaved work: there the task only counts as
        expired without success. A task whose handler has not been called by then returns to the schedule. While a task
        is under way, its app is not suspended, and the app's background tasks also get the task's time. Tasks also run
        while the app is in front. Time during which the machine is suspended does not count.
        """

    private static let between = """
        ## What happens when

        *stays* means that the state does not change; an unlisted event has no visible effect. *look* means that the
        kernel is then asked whether the process is stopped, until its state is right; *persist*, that the registration
        and the story are made durable, after which *committed* follows; *note*, that a line is added to the story;
        *send*, that the process receives a command; *report*, that the schedule of deferred work receives a report. For
        each task that it has requested, the schedule finally receives exactly one report that the task has *ended*, or
        that it did not run and is *returned*.
        """

    // MARK: The picture

    private struct Edge {
        var from: LifeState
        var to: LifeState
        var events: [String]
    }

    private static var edges: [Edge] {
        var edges: [Edge] = []
        for situation in LifeSituation.allCases {
            let from = situation.stage.life.state
            for (name, event) in LifeEvents.all where isInPicture(event, from) {
                guard let outcome = LifeEvents.outcome(of: event, in: situation), outcome.state != from else {
                    continue
                }
                if let index = edges.firstIndex(where: { $0.from == from && $0.to == outcome.state }) {
                    if !edges[index].events.contains(name) { edges[index].events.append(name) }
                } else {
                    edges.append(Edge(from: from, to: outcome.state, events: [name]))
                }
            }
        }
        return edges
    }

    private static func isInPicture(_ event: AppEvent, _ from: LifeState) -> Bool {
        switch event {
        case .restored, .disconnected, .spawned: false
        case .attached(let process, _): process == AppLifeStage.second && from == .terminated
        case .report(.state(let state)):
            state == .background ? from == .background : from == .active || from == .inactive
        default: true
        }
    }

    // MARK: The tables

    private static func heading(_ situation: LifeSituation) -> String {
        switch situation {
        case .terminated: "Terminated"
        case .wanted: "Launching: the token is not durable yet"
        case .spawning: "Launching: the kernel was asked for the process"
        case .launching: "Launching: in the foreground"
        case .launchingBehind: "Launching: in the background, for its session"
        case .launchingForTask: "Launching: in the background, for its deferred task"
        case .inactive: "Inactive"
        case .active: "Active"
        case .entering: "Background: `applicationDidEnterBackground` has not returned"
        case .busy: "Background: with an open background task"
        case .resting: "Background: its last hold has just ended"
        case .asked: "Background: asked whether it may be stopped"
        case .handling: "Background: its session's events are being handled"
        case .settling: "Background: its session's completion handler was called, and more events may follow"
        case .expiring: "Background: the expiration handlers are being called"
        case .working: "Background: with a deferred task whose handler was entered"
        case .overdue: "Background: with a deferred task that was told to end"
        case .suspended: "Suspended"
        case .stopping: "Suspended: not yet confirmed to be stopped"
        case .ending: "Active: `applicationWillTerminate` was called"
        case .condemned: "Suspended: to be killed once that is durable"
        }
    }

    private static func table(of situation: LifeSituation) -> [String] {
        let from = situation.stage.life.state
        var rows: [(events: [String], outcome: String)] = []
        for (name, event) in LifeEvents.all {
            guard let outcome = LifeEvents.outcome(of: event, in: situation) else { continue }
            let next = outcome.state == from ? "stays" : "**\(outcome.state.rawValue)**"
            let text = "\(next) | \(outcome.done.joined(separator: "; "))"
            if let index = rows.firstIndex(where: { $0.outcome == text }) {
                rows[index].events.append(name)
            } else {
                rows.append(([name], text))
            }
        }
        return ["| event | next | actions |", "|---|---|---|"]
            + rows.map { "| \($0.events.joined(separator: "; ")) | \($0.outcome) |" }
    }
}
