// SPDX-License-Identifier: Apache-2.0

/// Requests from the schedule of deferred work, and the process's reports about them.
extension LifeTable {
    static let deferredTasks = [
        Row(
            "launch for task",
            source: """
                app launched in background: uikit/using-background-tasks-to-update-your-app; ours: as a launch \
                in background, but not after a person has quit it
                """,
            """
            terminated: launching | note launching; persist
            wanted, spawning, launching, launching in background, launching for a task, inactive, active, entering, \
            busy, resting, asked, handling, settling, expiring, working, overdue, ending, condemned: nothing
            suspended, stopping: background | note woken; continue; look; send background; note moved
            """
        ),
        Row(
            "start task",
            source: """
                app launched or resumed in background: uikit/using-background-tasks-to-update-your-app; \
                backgroundtasks/bgtaskscheduler; ours: told once it is launched, wherever it is, and not to \
                one that ends
                """,
            """
            terminated: launching | note launching; persist
            wanted, spawning, launching, launching in background, launching for a task: nothing
            inactive, active: stays | send task
            entering, busy, resting, asked, handling, settling, expiring, working, overdue: stays | send task; send time
            suspended, stopping: background | note woken; continue; look; send background; note moved; send task; send \
            time
            ending, condemned: stays | report returned
            """
        ),
        Row(
            "resume task",
            source: """
                ours: what a daemon before has had entered goes on, or comes back
                """,
            """
            terminated, wanted, spawning: stays | report returned
            launching, launching in background, launching for a task, inactive, active, entering, busy, resting, asked, handling, \
            settling, expiring, working, overdue, suspended, stopping, ending, condemned: stays | report returned
            """
        ),
        Row(
            "expire task",
            source: """
                backgroundtasks/bgtask/expirationhandler; ours: one that was not begun comes back
                """,
            """
            terminated, wanted, spawning, launching, launching in background, inactive, active, entering, busy, resting, asked, \
            handling, settling, expiring, overdue, suspended, stopping, ending, condemned: nothing
            launching for a task: stays | report returned
            working: stays | send end of task; note task expiring; send time
            """
        ),
        Row(
            "attached again, with its task",
            source: """
                ours: a task that a daemon before has started goes on
                """,
            """
            terminated, wanted: inactive | note attached; send foreground; raise priority; deliver all; note moved; \
            persist
            spawning: stays | refuse
            launching, active: inactive | note attached; send foreground; raise priority; deliver all; note moved
            launching in background: background | note attached; send time; note moved; send events; note woken
            launching for a task: background | note attached; report entered; note task began; send time; note moved
            inactive: stays | note attached; send foreground; raise priority; deliver all
            entering, busy, resting, asked, settling, expiring, working: stays | note attached; send time
            handling: stays | note attached; send time; send events; note woken
            overdue: stays | note attached; send end of task; send time
            suspended, stopping: background | note attached; continue; look; send time; note moved
            ending: stays | note attached; send terminate
            condemned: stays | note attached
            """
        ),
        Row(
            "task entered",
            source: """
                ours: from here on it is not begun again
                """,
            """
            terminated, wanted, spawning, launching, launching in background, inactive, active, entering, busy, resting, asked, \
            handling, settling, expiring, working, overdue, suspended, stopping, ending, condemned: nothing
            launching for a task: stays | report entered; note task began
            """
        ),
        Row(
            "task completed",
            source: """
                suspended after all tasks are complete: the header of BGTask; \
                backgroundtasks/bgtask/settaskcompleted(success:); ours: counts while the process is being \
                ended, too
                """,
            """
            terminated, wanted, spawning, launching, launching in background, inactive, active, entering, busy, resting, asked, \
            handling, settling, expiring, suspended, stopping, ending, condemned: nothing
            launching for a task: stays | report ended, completed; note task ended
            working: stays | report ended, completed; note task ended; send time
            overdue: stays | report ended, expired; note task ended
            """
        ),
        Row(
            "task unclaimed",
            source: """
                ours: every permitted identifier needs a handler: \
                backgroundtasks/bgtaskscheduler/register(fortaskwithidentifier:using:launchhandler:)
                """,
            """
            terminated, wanted, spawning, launching, launching in background, inactive, active, entering, busy, resting, asked, \
            handling, settling, expiring, suspended, stopping, ending, condemned: nothing
            launching for a task: stays | report ended, no handler; note task ended
            working: stays | report ended, no handler; note task ended; send time
            overdue: stays | report ended, no handler; note task ended
            """
        ),
        Row(
            "task left out",
            source: """
                ours: its handler was not entered before its time was over: it has not had its run
                """,
            """
            terminated, wanted, spawning, launching, launching in background, inactive, active, entering, busy, resting, asked, \
            handling, settling, expiring, working, overdue, suspended, stopping, ending, condemned: nothing
            launching for a task: stays | report returned
            """
        ),
        Row(
            "task progress",
            source: """
                ours: for whoever watches; the system shows it: backgroundtasks/bgcontinuedprocessingtask
                """,
            """
            terminated, wanted, spawning, launching, launching in background, inactive, active, entering, busy, resting, asked, \
            handling, settling, expiring, suspended, stopping, ending, condemned: nothing
            launching for a task, working, overdue: stays | report progress
            """
        ),
    ]
}
