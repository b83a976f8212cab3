// SPDX-License-Identifier: Apache-2.0
import COffstageLinux
import Glibc
import OffstageCore
import OffstageSupervisor
import OffstageTestSupport
import Testing

@Suite struct `A process of an app` {
    /// A shell that leads its group, with a child in the group and one in its own group.
    private static let leader = """
        echo $$ > leader
        sleep 1000 & echo $! > child
        setsid sleep 1000 & echo $! > other
        wait
        """
    /// The same below a leading shell: the process under test is not the leader.
    private static let tree = """
        echo $$ > shell
        sleep 1000 & echo $! > sibling
        sh -c 'echo $$ > root; sh -c "sleep 1000 & echo \\$! > grandchild; wait" & echo $! > child
            setsid sleep 1000 & echo $! > other; wait' &
        wait
        """

    private static let leaderMembers = ["leader", "child", "other"]
    private static let treeMembers = ["shell", "sibling", "root", "child", "grandchild", "other"]

    @Test func `a group leader is stopped and continued with its group alone`() throws {
        let family = try Family(Self.leader, members: Self.leaderMembers)
        let process = try family.process("leader")
        #expect(process.leadsGroup)
        #expect(process.isStopped() == false)
        try eventually("the other has its own group") {
            try ProcessStatus.read(family.identity("other").number)?.group == family.identity("other").number
                ? true : nil
        }
        process.stop()
        try eventually("it is stopped") { process.isStopped() == true ? true : nil }
        try family.awaitStopped("child")
        #expect(try !family.isStopped("other"))
        process.resume()
        try family.awaitRunning("leader")
        try family.awaitRunning("child")
        #expect(process.isStopped() == false)
    }

    @Test func `a process that leads no group is stopped with its tree alone`() throws {
        let family = try Family(Self.tree, members: Self.treeMembers)
        let process = try family.process("root")
        #expect(!process.leadsGroup)
        try eventually("the other has its own session") {
            let other = try family.identity("other").number
            return ProcessStatus.read(other)?.session == other ? true : nil
        }
        process.stop()
        try eventually("all are stopped") { process.isStopped() == true ? true : nil }
        for name in ["root", "child", "grandchild"] { #expect(try family.isStopped(name), "\(name)") }
        // The last has its own session, like a daemon that an app has started.
        for name in ["shell", "sibling", "other"] { #expect(try !family.isStopped(name), "\(name)") }
        process.resume()
        for name in ["root", "child", "grandchild"] { try family.awaitRunning(name) }
    }

    @Test func `a tree whose child still runs counts as running`() throws {
        let family = try Family(Self.tree, members: Self.treeMembers)
        let (process, child) = (try family.process("root"), try family.identity("grandchild"))
        process.stop()
        try eventually("all are stopped") { process.isStopped() == true ? true : nil }
        Glibc.kill(child.number, SIGCONT)
        try eventually("one goes on") { process.isStopped() == false ? true : nil }
        process.stop()
        try eventually("all are stopped again") { process.isStopped() == true ? true : nil }
    }

    /// A shell waits in vfork(2) for a child that has not executed its program yet and may be stopped before it does.
    @Test(arguments: [
        "echo $$ > root; while :; do (sleep 0.01; :) & sleep 0.001; done",
        "sh -c 'echo $$ > root; while :; do (sleep 0.01; :) & sleep 0.001; done' & wait",
    ])
    func `one that goes on making children is stopped whole`(_ script: String) throws {
        let family = try Family(script, members: ["root"])
        let process = try family.process("root")
        for _ in 0..<20 {
            try eventually("all are stopped") {
                process.stop()
                return process.isStopped() == true ? true : nil
            }
            process.resume()
        }
    }

    @Test(arguments: ["leader", "root"]) func `it is killed with its group or tree`(_ name: String) throws {
        let isLeader = name == "leader"
        let family = try Family(
            isLeader ? Self.leader : Self.tree,
            members: isLeader ? Self.leaderMembers : Self.treeMembers
        )
        let process = try family.process(name)
        let child = try ForeignProcess(family.identity(isLeader ? "child" : "grandchild").number)
        #expect(Self.isReadable(process.descriptor, within: 0) == false)
        process.kill()
        try child.awaitEnd()
        #expect(Self.isReadable(process.descriptor, within: 20_000))
        try eventually("it has ended") { process.isStopped() == nil ? true : nil }
        #expect(AppProcess.open(process.identity) == nil)
        if !isLeader { #expect(family.shell.isRunning) }
    }

    @Test func `a stopped process is killed`() throws {
        let family = try Family(Self.leader, members: Self.leaderMembers)
        let process = try family.process("leader")
        process.stop()
        try family.awaitStopped("leader")
        process.kill()
        #expect(try family.shell.exitStatus() == .signalled(SIGKILL))
    }

    @Test func `a later process of the same number is not taken for it`() throws {
        let family = try Family(Self.leader, members: Self.leaderMembers)
        var identity = try family.identity("leader")
        identity.startedAt -= 1
        #expect(AppProcess.open(identity) == nil)
        #expect(AppProcess.open(ProcessIdentity(number: 0, startedAt: 0)) == nil)
        #expect(AppProcess.open(ProcessIdentity(number: -1, startedAt: 0)) == nil)
    }

    @Test func `once it has ended nothing reaches anybody`() throws {
        let family = try Family(Self.leader, members: Self.leaderMembers)
        let process = try family.process("leader")
        let child = try family.process("child")
        family.shell.kill(SIGKILL)
        _ = try family.shell.exitStatus()
        process.stop()
        process.resume()
        process.kill()
        process.setPriority(isBackground: true)
        process.setPriority(isBackground: false)
        #expect(process.isStopped() == nil)
        #expect(process.terminalStanding() == nil)
        #expect(!process.leadsGroup)
        #expect(child.isStopped() == false)
    }

    @Test func `in background its I/O comes last, and in foreground it is as it was`() throws {
        let family = try Family(
            "ionice -c 2 -n 3 sh -c 'echo $$ > app; sleep 1000 & echo $! > child; wait' & wait",
            members: ["app", "child"]
        )
        let (app, child) = (try family.process("app"), try family.identity("child").number)
        let before = offstage_io_priority(app.identity.number)
        #expect(before == 2 << 13 | 3)
        for _ in 0..<2 {
            app.setPriority(isBackground: true)
            #expect(offstage_io_priority(app.identity.number) == 2 << 13 | 7)
            app.setPriority(isBackground: false)
            #expect(offstage_io_priority(app.identity.number) == before)
        }
        #expect(offstage_io_priority(child) == before)
    }

    @Test func `a whole group's I/O comes last, and one that another daemon lowered comes back`() throws {
        let family = try Family(Self.leader, members: Self.leaderMembers)
        let (leader, child) = (try family.process("leader"), try family.identity("child").number)
        let before = offstage_io_priority(child)
        leader.setPriority(isBackground: true)
        #expect(offstage_io_priority(child) == 2 << 13 | 7)
        try family.process("leader").setPriority(isBackground: false)
        #expect(offstage_io_priority(child) == before)
        #expect(offstage_io_priority(leader.identity.number) == before)
    }

    private static func isReadable(_ descriptor: Int32, within milliseconds: Int32) -> Bool {
        var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&item, 1, milliseconds) == 1
    }
}
