// SPDX-License-Identifier: Apache-2.0

/// What the schedule of deferred work wants, and what the process says of it.
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
            suspended, stopping: background | note woken; continue; look; tell background; note moved
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
            inactive, active: stays | tell task
            entering, busy, resting, asked, handling, settling, expiring, working, overdue: stays | tell task; tell time
            suspended, stopping: background | note woken; continue; look; tell background; note moved; tell task; tell \
            time
            ending, condemned: stays | say returned
            """
        ),
        Row(
            "resume task",
            source: """
                ours: what a daemon before has had entered goes on, or comes back
                """,
            """
            terminated, wanted, spawning: stays | say returned
            launching, launching in background, launching for a task, inactive, active, entering, busy, resting, asked, handling, \
            settling, expiring, working, overdue, suspended, stopping, ending, condemned: stays | say returned
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
            launching for a task: stays | say returned
            working: stays | tell end of task; note task expiring; tell time
            """
        ),
        Row(
            "attached again, with its task",
            source: """
                ours: a task that a daemon before has started goes on
                """,
            """
            terminated, wanted: inactive | note attached; tell foreground; raise priority; deliver all; note moved; \
            persist
            spawning: stays | refuse
            launching, active: inactive | note attached; tell foreground; raise priority; deliver all; note moved
            launching in background: background | note attached; tell time; note moved; tell events; note woken
            launching for a task: background | note attached; say entered; note task began; tell time; note moved
            inactive: stays | note attached; tell foreground; raise priority; deliver all
            entering, busy, resting, asked, settling, expiring, working: stays | note attached; tell time
            handling: stays | note attached; tell time; tell events; note woken
            overdue: stays | note attached; tell end of task; tell time
            suspended, stopping: background | note attached; continue; look; tell time; note moved
            ending: stays | note attached; tell terminate
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
            launching for a task: stays | say entered; note task began
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
            launching for a task: stays | say ended, completed; note task ended
            working: stays | say ended, completed; note task ended; tell time
            overdue: stays | say ended, expired; note task ended
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
            launching for a task: stays | say ended, no handler; note task ended
            working: stays | say ended, no handler; note task ended; tell time
            overdue: stays | say ended, no handler; note task ended
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
            launching for a task: stays | say returned
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
            launching for a task, working, overdue: stays | say progress
            """
        ),
    ]
}
