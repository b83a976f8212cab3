// SPDX-License-Identifier: Apache-2.0

/// What the process reports.
extension LifeTable {
    static let reports = [
        Row(
            "launched",
            source: """
                uikit/about-the-app-launch-sequence; uikit/about-the-background-execution-sequence
                """,
            """
            terminated, wanted, spawning, inactive, active, entering, busy, resting, asked, handling, settling, expiring, working, \
            overdue, suspended, stopping, ending, condemned: nothing
            launching: inactive | note moved; deliver all
            launching in background: background | note moved
            launching for a task: background | note moved; send task; send time
            """
        ),
        Row(
            "is active",
            source: """
                uikit/uiapplication/state; ours: an app that says it is in front and is not meant to be is told \
                again
                """,
            """
            terminated, wanted, spawning, launching, launching in background, launching for a task, active, entering, \
            ending, condemned: nothing
            inactive: active | note moved
            busy, resting, asked, handling, settling, expiring, working, overdue: stays | send background
            suspended, stopping: background | continue; look; send background; note moved
            """
        ),
        Row(
            "is inactive",
            source: """
                uikit/uiapplication/state; ours: as is active
                """,
            """
            terminated, wanted, spawning, launching, launching in background, launching for a task, inactive, \
            entering, ending, condemned: nothing
            active: inactive | note moved
            busy, resting, asked, handling, settling, expiring, working, overdue: stays | send background
            suspended, stopping: background | continue; look; send background; note moved
            """
        ),
        Row(
            "is in background",
            source: """
                suspended after didEnterBackground has returned and no task is open: \
                uikit/uiapplication/beginbackgroundtask(expirationhandler:); ours: an app that is meant to be in \
                front is told again, and nobody is stopped without a grace
                """,
            """
            terminated, wanted, spawning, launching, launching in background, launching for a task, busy, resting, asked, handling, \
            settling, expiring, working, overdue, suspended, stopping, ending, condemned, entering: nothing
            inactive: stays | send foreground
            active: inactive | send foreground; note moved
            """
        ),
        Row(
            "began task",
            source: """
                any state: uikit/uiapplication/beginbackgroundtask(expirationhandler:); handlers when time is \
                up: the same; ours: one that was begun before the stop and heard of after it has its time
                """,
            """
            terminated, wanted, spawning, launching, launching in background, launching for a task, inactive, active, \
            entering, busy, resting, asked, handling, settling, working, ending, condemned: nothing
            expiring, overdue: stays | send expire; note expiring
            suspended, stopping: background | continue; look; note moved
            """
        ),
        Row(
            "ended task",
            source: """
                suspended after the last: uikit/uiapplication/endbackgroundtask(_:); ours: not before a grace, \
                and not before the handlers have returned
                """,
            """
            terminated, wanted, spawning, launching, launching in background, launching for a task, inactive, active, \
            entering, handling, settling, expiring, working, overdue, suspended, stopping, ending, condemned: nothing
            busy, resting, asked: nothing
            """
        ),
        Row(
            "expired",
            source: """
                killed only at the end of its time: uikit/uiapplication/beginbackgroundtask(expirationhandler:)
                """,
            """
            terminated, wanted, spawning, launching, launching in background, launching for a task, inactive, active, \
            entering, busy, resting, asked, handling, settling, expiring, working, overdue, suspended, stopping, ending, condemned: \
            nothing
            """
        ),
        Row(
            "announced",
            source: """
                events after the call: \
                uikit/uiapplicationdelegate/application(_:handleeventsforbackgroundurlsession:completionhandler:); \
                ours: none to one that is stopped
                """,
            """
            terminated, wanted, spawning, suspended, stopping, condemned: nothing
            launching, launching in background, launching for a task, inactive, active, entering, busy, resting, asked, handling, \
            settling, expiring, working, overdue, ending: stays | deliver
            """
        ),
        Row(
            "handled",
            source: """
                 \
                uikit/uiapplicationdelegate/application(_:handleeventsforbackgroundurlsession:completionhandler:); \
                suspended when nothing else is left; ours: not before its events have gone over, or had 2 s for that
                """,
            """
            terminated, wanted, spawning, launching, launching in background, launching for a task, inactive, active, \
            entering, busy, resting, asked, handling, settling, expiring, working, overdue, suspended, stopping, ending, condemned: \
            nothing
            """
        ),
        Row(
            "seen",
            source: """
                return: uikit/managing-your-app-s-life-cycle; ours: whom the app's own loop shows is in front
                """,
            """
            terminated, wanted, spawning, launching, inactive, active, ending, condemned: nothing
            launching in background, launching for a task: stays | send foreground; persist
            entering, busy, resting, asked, handling, settling, expiring, working, overdue: inactive | send foreground; raise \
            priority; deliver all; note moved; persist
            suspended, stopping: inactive | continue; look; send foreground; raise priority; deliver all; note moved; \
            persist
            """
        ),
        Row(
            "not seen",
            source: """
                go to background: uikit/managing-your-app-s-life-cycle; ours: as seen; one that speaks while it \
                should be stopped is stopped again
                """,
            """
            terminated, wanted, spawning, launching in background, launching for a task, entering, busy, resting, asked, handling, \
            settling, expiring, working, overdue, ending, condemned: nothing
            launching: stays | persist
            inactive, active: background | send background; lower priority; note moved; persist
            suspended, stopping: stays | stop; look
            """
        ),
        Row(
            "left terminal",
            source: """
                ours: Ctrl-Z is the Home button, and the shell sees the stop first
                """,
            """
            terminated, wanted, spawning, suspended, stopping, ending, condemned: nothing
            launching: stays | continue behind terminal; look; persist
            launching in background, launching for a task, entering, busy, resting, asked, handling, settling, expiring, working, \
            overdue: stays | continue behind terminal; look
            inactive, active: background | continue behind terminal; look; lower priority; note moved; persist
            """
        ),
        Row(
            "terminal in front",
            source: """
                ours: fg is the icon on the Home screen
                """,
            """
            terminated, wanted, spawning, launching, inactive, active, ending, condemned: nothing
            launching in background, launching for a task: stays | send foreground; persist
            entering, busy, resting, asked, handling, settling, expiring, working, overdue: inactive | send foreground; raise \
            priority; deliver all; note moved; persist
            suspended, stopping: inactive | continue; look; send foreground; raise priority; deliver all; note moved; \
            persist
            """
        ),
        Row(
            "terminal behind",
            source: """
                ours: as not seen
                """,
            """
            terminated, wanted, spawning, launching in background, launching for a task, entering, busy, resting, asked, handling, \
            settling, expiring, working, overdue, ending, condemned: nothing
            launching: stays | persist
            inactive, active: background | send background; lower priority; note moved; persist
            suspended, stopping: stays | stop; look
            """
        ),
        Row(
            "finishing",
            source: """
                ours: one whose code has not returned from a call of the library's is given 5 s for that
                """,
            """
            terminated, wanted, spawning, launching, launching in background, launching for a task, inactive, active, \
            entering, busy, resting, asked, handling, settling, expiring, working, overdue, suspended, stopping, \
            ending, condemned: nothing
            """
        ),
        Row(
            "ready to suspend",
            source: """
                suspended when nothing holds it: uikit/uiapplication/endbackgroundtask(_:); ours: not in the \
                middle of the code that has ended its last hold, and not before it was asked
                """,
            """
            terminated, wanted, spawning, launching, launching in background, launching for a task, inactive, active, \
            entering, busy, resting, handling, settling, expiring, working, overdue, suspended, stopping, ending, \
            condemned: nothing
            asked: suspended | stop; look; note moved
            """
        ),
        Row(
            "continued",
            source: """
                ours: one that somebody else continues while it should be stopped is stopped again
                """,
            """
            terminated, wanted, spawning, launching, launching in background, launching for a task, inactive, active, \
            entering, busy, resting, asked, handling, settling, expiring, working, overdue, ending, condemned: nothing
            suspended, stopping: stays | stop; look
            """
        ),
    ]
}
