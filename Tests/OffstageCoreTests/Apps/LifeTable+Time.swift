// SPDX-License-Identifier: Apache-2.0

/// What is durable, what the passing of time causes, and how a daemon begins.
extension LifeTable {
    static let time = [
        Row(
            "committed",
            source: """
                ours: launches and kills wait for what must be known after a crash
                """,
            """
            terminated, spawning, launching, launching in background, launching for a task, inactive, active, \
            entering, busy, resting, asked, handling, settling, expiring, working, overdue, suspended, stopping, ending: nothing
            wanted: stays | spawn
            condemned: stays | kill
            """
        ),
        Row(
            "time is up",
            source: """
                5 s: uikit/uiapplicationdelegate/applicationdidenterbackground(_:), \
                applicationwillterminate(_:); killed with tasks open: \
                uikit/uiapplication/beginbackgroundtask(expirationhandler:); ours: 20 s for a launch in \
                background
                """,
            """
            terminated, launching, inactive, active, suspended: nothing
            wanted, condemned: stays | persist
            spawning: terminated | note failure; persist
            launching in background, launching for a task: stays | note kill, launch too long; persist
            entering: stays | note kill, background call too long; persist
            busy: stays | send expire; note expiring
            resting: stays | ask whether it may be stopped
            asked: suspended | stop; look; note moved
            handling: stays | note kill, events too long; persist
            expiring: stays | note kill, time over; persist
            stopping: stays | stop; look
            ending: stays | note kill, terminate too long; persist
            settling: stays | note handled
            working: stays | send end of task; note task expiring
            overdue: stays | note kill, task too long; persist
            """
        ),
        Row(
            "machine slept",
            source: """
                ours: time in which nothing ran is held against nobody
                """,
            """
            terminated, wanted, spawning, launching, inactive, active, suspended, stopping, ending, condemned: nothing
            launching in background, launching for a task, entering, busy, resting, asked, handling, settling, expiring, working, \
            overdue: stays | send time
            """
        ),
        Row(
            "restored, stopped",
            source: """
                ours: stopped and meant to be in background is suspended; in front it goes on; a launch that was \
                asked for is made
                """,
            """
            terminated: nothing
            wanted, spawning: stays | note launching; persist
            launching, active: inactive | note found; continue; look
            launching in background, launching for a task, entering, busy, resting, asked, handling, settling, expiring, working, \
            overdue, ending: suspended | note found
            inactive: stays | note found; continue; look
            suspended, stopping, condemned: stays | note found
            """
        ),
        Row(
            "restored, running",
            source: """
                ours: as long as it may take to connect again, it runs; a launch that was asked for is made
                """,
            """
            terminated: nothing
            wanted, spawning: stays | note launching; persist
            launching, active: inactive | note found
            launching in background, launching for a task, suspended, stopping, ending, condemned: background | note \
            found
            inactive, entering, busy, resting, asked, handling, settling, expiring, working, overdue: stays | note found
            """
        ),
        Row(
            "restored, gone",
            source: """
                as ended; ours: a launch that was asked for is made
                """,
            """
            terminated: nothing
            wanted, spawning: stays | note launching; persist
            launching, launching in background, launching for a task, inactive, active, entering, busy, resting, asked, handling, \
            settling, expiring, working, overdue, suspended, stopping, ending, condemned: terminated | note ended; \
            persist
            """
        ),
    ]
}
