// SPDX-License-Identifier: Apache-2.0
import OffstageCore

/// `docs/life-cycle.md`, made from the rule itself.
enum LifeCycleDocument {
    static var text: String {
        var lines = [opening, "", "```mermaid", "stateDiagram-v2", "    [*] --> terminated"]
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

        This page is made from the rule (`AppLife`) by a test, which fails when the two differ;
        `OFFSTAGE_WRITE_DOCS=1 swift test --filter LifeCycleDocument` writes it anew. What each line of the tables rests
        on, a document of Apple's or a decision of this project's, is in `Tests/OffstageCoreTests/Apps/LifeTable*.swift`.

        The picture leaves out what follows when a connection was lost or the daemon has begun anew; the tables have it.
        """

    private static let states = """
        | state | what it is |
        |---|---|
        | launching | there is a process, or is about to be, and `didFinishLaunching` has not returned |
        | inactive | in front, and not yet, or not any more, the one that is used |
        | active | in front and used |
        | background | running behind: it is being put there, has time to finish, handles events, or does deferred work |
        | suspended | stopped by the kernel |
        | terminated | there is no process |

        An app is not stopped the moment its last hold has ended (a background task, a session's events, deferred work,
        `applicationDidEnterBackground`). For a grace of 0.25 s, or what `suspendGrace` in the settings says, it goes on, and
        a new hold counts as if there had been no gap. Then its process is asked: while code of the app runs in a call of the
        library's (a launch or expiration handler, a delegate call, a completion handler, `submit`), or the main thread has
        not finished what it was at, it says so, and is not stopped for up to 5 s. One that says nothing is stopped after two
        seconds.

        An app has 5 s to return from `applicationDidEnterBackground` and from `applicationWillTerminate`, 20 s to be
        launched in background, 30 s to call the completion handler of a session's events before it is suspended all the
        same, and for all its background tasks
        together the time of its profile (30 s unless the settings say otherwise). Its expiration handlers are called 5 s
        before the end of that, or after five sixths of it where it is shorter than 30 s. An app that holds tasks at the
        end, or has not returned, is killed; the reason is in its story before the kernel is asked to.

        A deferred task has its own time, from when its process was told of it: what the settings say for its kind, and
        continued processing as long as it wants. Its expiration handler is called as long before the end of that, or
        earlier where a condition that it needs is gone; then it has 5 s. Who has not completed it by then is killed, but
        not in front, where a person may have unsaved work: there the task has expired without success, and that is all. A
        task whose handler was not called by then comes back. While a task is under way its app is not suspended, and its
        background tasks have the time of the task, too. Tasks run in front as well. Time in which the machine is suspended
        counts for nothing.
        """

    private static let between = """
        ## What happens when

        *stays* means that the state does not change; an event that is not listed changes nothing that can be seen.
        *look* means that the kernel is asked afterwards whether the process is stopped, until it is as it should be;
        *persist*, that the registration and the story are made durable, and *committed* follows; *note*, that the story
        gets a line; *say*, that the schedule of deferred work is told: of each task that it has asked for, in the end,
        exactly once that it has *ended*, or that it came to nothing and is *returned*.
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
        case .launching: "Launching: in foreground"
        case .launchingBehind: "Launching: in background, for its session"
        case .launchingForTask: "Launching: in background, for its deferred task"
        case .inactive: "Inactive"
        case .active: "Active"
        case .entering: "Background: `applicationDidEnterBackground` has not returned"
        case .busy: "Background: with an open background task"
        case .resting: "Background: nothing holds it since a moment ago"
        case .asked: "Background: asked whether it may be stopped"
        case .handling: "Background: its session's events are being handled"
        case .settling: "Background: its session's completion handler was called, and the events may not be over"
        case .expiring: "Background: the expiration handlers are being called"
        case .working: "Background: with a deferred task whose handler was entered"
        case .overdue: "Background: with a deferred task that was told to end"
        case .suspended: "Suspended"
        case .stopping: "Suspended: not seen to be stopped yet"
        case .ending: "Active: `applicationWillTerminate` was called"
        case .condemned: "Suspended: to be killed when that is durable"
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
        return ["| what happens | next | what is done |", "|---|---|---|"]
            + rows.map { "| \($0.events.joined(separator: "; ")) | \($0.outcome) |" }
    }
}
