// SPDX-License-Identifier: Apache-2.0

/// What people, memory and sessions ask for.
extension LifeTable {
    static let requests = [
        Row(
            "launch",
            source: """
                launch: uikit/about-the-app-launch-sequence; return: uikit/managing-your-app-s-life-cycle; ours: \
                whoever is on the way to the front is left alone, and one that ends is launched when it has
                """,
            """
            terminated: launching | note launching; persist
            wanted, spawning, launching, inactive, active, ending, condemned: nothing
            launching in background, launching for a task: stays | send foreground; persist
            entering, busy, resting, asked, handling, settling, expiring, working, overdue: inactive | send foreground; raise \
            priority; deliver all; note moved; persist
            suspended, stopping: inactive | continue; look; send foreground; raise priority; deliver all; note moved; \
            persist
            """
        ),
        Row(
            "launch in background",
            source: """
                uikit/about-the-background-execution-sequence; ours: an app that runs is not sent away by it
                """,
            """
            terminated: launching | note launching; persist
            wanted, spawning, launching, launching in background, launching for a task, inactive, active, entering, \
            busy, resting, asked, handling, settling, expiring, working, overdue, ending, condemned: nothing
            suspended, stopping: background | note woken; continue; look; send background; note moved
            """
        ),
        Row(
            "foreground",
            source: """
                return: uikit/managing-your-app-s-life-cycle; ours: as launch
                """,
            """
            terminated: launching | note launching; persist
            wanted, spawning, launching, inactive, active, ending, condemned: nothing
            launching in background, launching for a task: stays | send foreground; persist
            entering, busy, resting, asked, handling, settling, expiring, working, overdue: inactive | send foreground; raise \
            priority; deliver all; note moved; persist
            suspended, stopping: inactive | continue; look; send foreground; raise priority; deliver all; note moved; \
            persist
            """
        ),
        Row(
            "background",
            source: """
                uikit/managing-your-app-s-life-cycle; ours: an app that is being launched goes there once it is
                """,
            """
            terminated, launching in background, launching for a task, entering, busy, resting, asked, handling, settling, expiring, \
            working, overdue, suspended, stopping, ending, condemned: nothing
            wanted, spawning, launching: stays | persist
            inactive, active: background | send background; lower priority; note moved; persist
            """
        ),
        Row(
            "quit",
            source: """
                transfers are cancelled: foundation/urlsessionconfiguration/background(withidentifier:); told \
                only if it runs: uikit/uiapplicationdelegate/applicationwillterminate(_:)
                """,
            """
            terminated, ending, condemned: stays | cancel transfers; note quit; persist
            wanted: terminated | cancel transfers; note quit; note moved; persist
            spawning, suspended, stopping: stays | cancel transfers; note quit; note kill, quit; persist
            launching, launching in background, launching for a task, inactive, active, entering, busy, resting, asked, handling, \
            settling, expiring, working, overdue: stays | cancel transfers; note quit; note told; send terminate; \
            persist
            """
        ),
        Row(
            "quit keeping transfers",
            source: """
                ours, as quit but for the transfers
                """,
            """
            terminated, ending, condemned: stays | note quit; persist
            wanted: terminated | note quit; note moved; persist
            spawning, suspended, stopping: stays | note quit; note kill, quit; persist
            launching, launching in background, launching for a task, inactive, active, entering, busy, resting, asked, handling, \
            settling, expiring, working, overdue: stays | note quit; note told; send terminate; persist
            """
        ),
        Row(
            "terminate",
            source: """
                told only if it runs: uikit/uiapplicationdelegate/applicationwillterminate(_:); ours: one that \
                is not launched yet is not, and nothing waits for an answer but a kill for its record
                """,
            """
            terminated, ending, condemned: nothing
            wanted: terminated | note moved; persist
            spawning, suspended, stopping: stays | note kill, terminated; persist
            launching, inactive, active: stays | note told; send terminate; persist
            launching in background, launching for a task, entering, busy, resting, asked, handling, settling, expiring, working, \
            overdue: stays | note told; send terminate
            """
        ),
        Row(
            "reclaim",
            source: """
                only suspended apps, which see nothing of it: uikit/responding-to-memory-warnings
                """,
            """
            terminated, wanted, spawning, launching, launching in background, launching for a task, inactive, active, \
            entering, busy, resting, asked, handling, settling, expiring, working, overdue, ending, condemned: nothing
            suspended, stopping: stays | note kill, memory; persist
            """
        ),
        Row(
            "memory warning",
            source: """
                uikit/responding-to-memory-warnings; ours: not before it is launched
                """,
            """
            terminated, wanted, spawning, launching, launching in background, launching for a task, suspended, \
            stopping, ending, condemned: nothing
            inactive, active, entering, busy, resting, asked, handling, settling, expiring, working, overdue: stays | send memory; \
            note memory
            """
        ),
        Row(
            "session needs app",
            source: """
                resumed or launched: foundation/urlsessionconfiguration/sessionsendslaunchevents; resumed, told \
                of its time, then of the events: uikit/about-the-background-execution-sequence; ours: in \
                foreground they just come, and who is on the way into the background is told there
                """,
            """
            terminated: launching | note launching; persist
            wanted, spawning, launching, launching in background, launching for a task, inactive, active, entering, \
            handling, settling, ending, condemned: nothing
            busy, resting, asked, expiring, working, overdue: stays | send events; note woken
            suspended, stopping: background | continue; look; send background; note moved; send events; note woken
            """
        ),
        Row(
            "session settled",
            source: """
                ours: what was begun goes its way
                """,
            """
            terminated, wanted, spawning, launching, launching in background, launching for a task, inactive, active, \
            entering, busy, resting, asked, handling, expiring, working, overdue, suspended, stopping, ending, condemned: nothing
            settling: stays | note handled
            """
        ),
        Row(
            "transfers cancelled",
            source: """
                ours: nothing but that the daemon after this one need not do it
                """,
            """
            terminated, wanted, spawning, launching, launching in background, launching for a task, inactive, active, \
            entering, busy, resting, asked, handling, settling, expiring, working, overdue, suspended, stopping, ending, condemned: \
            nothing
            """
        ),
    ]
}
