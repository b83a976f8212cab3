// SPDX-License-Identifier: Apache-2.0

/// What the kernel reports about the process, and how processes connect.
extension LifeTable {
    static let process = [
        Row(
            "spawned",
            source: """
                ours: the process that a daemon before has launched is taken as it is; a second is not heard of \
                until it connects
                """,
            """
            terminated: launching | lower priority; persist
            wanted, launching, launching in background, launching for a task, inactive, active, entering, busy, resting, asked, \
            handling, settling, expiring, working, overdue, suspended, stopping, ending, condemned: nothing
            spawning: stays | raise priority; persist
            """
        ),
        Row(
            "spawn failed",
            source: """
                ours
                """,
            """
            terminated, wanted, launching, launching in background, launching for a task, inactive, active, entering, \
            busy, resting, asked, handling, settling, expiring, working, overdue, suspended, stopping, ending, condemned: nothing
            spawning: terminated | note failure; persist
            """
        ),
        Row(
            "seen stopped",
            source: """
                ours: nobody else's stop is undone unless the app was just continued
                """,
            """
            terminated, wanted, spawning, launching, launching in background, launching for a task, inactive, active, \
            entering, busy, resting, asked, handling, settling, expiring, working, overdue, suspended, stopping, ending, condemned: \
            nothing
            """
        ),
        Row(
            "seen running",
            source: """
                ours: asked for until the kernel shows it
                """,
            """
            terminated, wanted, spawning, launching, launching in background, launching for a task, inactive, active, \
            entering, busy, resting, asked, handling, settling, expiring, working, overdue, suspended, ending, condemned: nothing
            stopping: stays | stop; look
            """
        ),
        Row(
            "ended",
            source: """
                app gone, transfers go on: foundation/downloading-files-in-the-background; ours: a launch in \
                background that ends before it did anything is not repeated at once
                """,
            """
            terminated, wanted, spawning: nothing
            launching, inactive, active, entering, busy, resting, asked, settling, expiring, suspended, stopping, ending, condemned: \
            terminated | note ended; persist
            launching in background, handling: terminated | note ended; note delay; persist
            launching for a task: terminated | note ended; report returned; persist
            working, overdue: terminated | note ended; report ended, app gone; note task ended; persist
            """
        ),
        Row(
            "crashed",
            source: """
                as ended: foundation/downloading-files-in-the-background
                """,
            """
            terminated, wanted, spawning: nothing
            launching, inactive, active, entering, busy, resting, asked, settling, expiring, suspended, stopping, ending, condemned: \
            terminated | note ended; persist
            launching in background, handling: terminated | note ended; note delay; persist
            launching for a task: terminated | note ended; report returned; persist
            working, overdue: terminated | note ended; report ended, app gone; note task ended; persist
            """
        ),
        Row(
            "attached again, active",
            source: """
                ours: where it is meant to be decides; with no life known it is the person's
                """,
            """
            terminated, wanted: active | note attached; deliver all; note moved; persist
            spawning: stays | refuse
            launching, inactive: active | note attached; deliver all; note moved
            launching in background: background | note attached; send background; lower priority; note moved
            active: stays | note attached; deliver all
            entering, busy, resting, asked, handling, settling, expiring: stays | note attached; send background; lower priority
            suspended, stopping: background | note attached; continue; look; send background; note moved
            ending: stays | note attached; send terminate
            condemned: stays | note attached
            launching for a task: background | note attached; send background; lower priority; note moved; send task; \
            send time
            working: stays | note attached; report ended, completed; note task ended; send background; lower priority
            overdue: stays | note attached; report ended, expired; note task ended; send background; lower priority
            """
        ),
        Row(
            "attached again, in background",
            source: """
                ours: where it is meant to be decides, and with nothing to do its grace begins
                """,
            """
            terminated, wanted: inactive | note attached; send foreground; raise priority; deliver all; note moved; \
            persist
            spawning: stays | refuse
            launching, active: inactive | note attached; send foreground; raise priority; deliver all; note moved
            launching in background: background | note attached; send time; note moved; send events; note woken
            inactive: stays | note attached; send foreground; raise priority; deliver all
            entering, busy, resting, asked, expiring: stays | note attached; send time
            handling: stays | note attached; send time; send events; note woken
            suspended, stopping: stays | note attached; stop; look
            ending: stays | note attached; send terminate
            condemned: stays | note attached
            settling: stays | note attached; send time
            launching for a task: background | note attached; send time; note moved; send task; send time
            working: stays | note attached; report ended, completed; note task ended; send time
            overdue: stays | note attached; report ended, expired; note task ended; send time
            """
        ),
        Row(
            "another process",
            source: """
                ours: in front the first stays; else the person wants the new one, and the record comes before \
                the kill
                """,
            """
            terminated: launching | note attached; persist
            wanted: stays | note attached; persist
            spawning, launching, inactive, active: stays | refuse
            launching in background, launching for a task, entering, busy, resting, asked, handling, settling, expiring, working, \
            overdue, suspended, stopping: stays | note kill, replaced; persist
            ending, condemned: nothing
            """
        ),
        Row(
            "disconnected",
            source: """
                ours: nothing is stopped on account of it at once
                """,
            """
            terminated, wanted, spawning, launching, launching in background, launching for a task, inactive, active, \
            entering, busy, resting, asked, handling, settling, expiring, working, overdue, suspended, stopping, ending, condemned: \
            nothing
            """
        ),
    ]
}
