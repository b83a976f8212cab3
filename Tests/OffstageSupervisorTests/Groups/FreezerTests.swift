// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageSupervisor
import OffstageTestSupport
import Testing

@Suite(.enabled(if: TestSubtree.isPossible, "needs the right to make groups in cgroup v2"))
struct `A group of an app's processes` {
    private let subtree: TestSubtree
    private let folder: TemporaryDirectory
    private let freezer: Freezer

    init() throws {
        subtree = try TestSubtree()
        folder = try TemporaryDirectory()
        freezer = try #require(Freezer.find(environment: [Freezer.variable: subtree.path]))
    }

    private func launch(_ script: String, in group: String?) throws -> Launched {
        try Launched(script, folder: folder, cgroup: group)
    }

    /// The microseconds of CPU time that the group has used.
    private func used(_ group: String) throws -> Int {
        let words = try TestFiles.text(group + "/cpu.stat").split { $0 == " " || $0 == "\n" }
        return try #require(words.firstIndex(of: "usage_usec").flatMap { Int(words[$0 + 1]) })
    }

    private func end(_ app: Launched, in group: String) throws {
        AppProcess.open(app.identity)?.kill()
        try eventually("the group is empty") { freezer.remove(group) ? true : nil }
    }

    @Test func `an app is born in its group`() throws {
        let group = try #require(freezer.make("org.example.App"))
        #expect(group == subtree.path + "/offstage-org.example.App")
        #expect(freezer.make("org.example.App") == group)
        let app = try launch("cat /proc/self/cgroup; echo done; sleep 1000", in: group)
        try app.awaitLine("done")
        #expect(app.log.split(separator: "\n").contains { $0.hasPrefix("0::/") && $0.hasSuffix(group.suffix(20)) })
        #expect(freezer.group(of: app.identity.number) == group)
        #expect(freezer.group(of: getpid()) == nil)
        #expect(!freezer.remove(group))
        try end(app, in: group)
        #expect(!TestFiles.exists(group))
    }

    @Test func `what does not begin in time is killed, and not waited for`() throws {
        let group = try #require(freezer.make("late"))
        #expect(freezer.freeze(group))
        #expect(throws: LaunchError.tooLate("/bin/true", workingDirectory: "/")) {
            try AppLauncher.spawn(
                executable: AppExecutable("/bin/true"),
                arguments: [],
                environment: [:],
                workingDirectory: "/",
                logPath: folder.path("log"),
                cgroup: group,
                limit: 100
            )
        }
        freezer.thaw(group)
        try eventually("the group is empty") { freezer.remove(group) ? true : nil }
    }

    @Test func `a frozen app uses no CPU until it is thawed`() throws {
        let group = try #require(freezer.make("spinner"))
        let app = try launch("sh -c 'while :; do :; done' & echo done; while :; do :; done", in: group)
        try app.awaitLine("done")
        #expect(freezer.isFrozen(group) == false)
        #expect(freezer.freeze(group))
        try eventually("it is frozen") { freezer.isFrozen(group) == true ? true : nil }
        let frozen = try used(group)
        // A process that runs meanwhile proves that time has passed.
        _ = try ChildProcess.run("/bin/sh", ["-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"])
        #expect(try used(group) == frozen)
        #expect(freezer.thaw(group))
        try eventually("it goes on") { freezer.isFrozen(group) == false ? true : nil }
        try eventually("it uses the CPU") { try used(group) > frozen ? true : nil }
        try end(app, in: group)
    }

    @Test func `a frozen app is killed`() throws {
        let group = try #require(freezer.make("sleeper"))
        let app = try launch("sleep 1000", in: group)
        #expect(freezer.freeze(group))
        try eventually("it is frozen") { freezer.isFrozen(group) == true ? true : nil }
        let process = try #require(AppProcess.open(app.identity))
        process.kill()
        try eventually("it has ended") { process.isStopped() == nil ? true : nil }
        // A process that is launched in the group next must not be frozen.
        #expect(freezer.make("sleeper") == group)
        try eventually("it is thawed") { freezer.isFrozen(group) == false ? true : nil }
        try eventually("the group is empty") { freezer.remove(group) ? true : nil }
    }

    @Test func `where there is no such group the app is born without`() throws {
        let app = try launch("echo done; sleep 1000", in: subtree.path + "/gone")
        try app.awaitLine("done")
        #expect(freezer.group(of: app.identity.number) == nil)
        #expect(freezer.isFrozen(subtree.path + "/gone") == nil)
        #expect(!freezer.freeze(subtree.path + "/gone"))
        #expect(freezer.remove(subtree.path + "/gone"))
    }

    @Test func `a folder that is no subtree of cgroup v2 is not used`() throws {
        #expect(Freezer.find(environment: [Freezer.variable: folder.path]) == nil)
        #expect(Freezer.find(environment: [Freezer.variable: subtree.path + "/gone"]) == nil)
    }

    @Test func `in background its share of the CPU is small, where the subtree has shares`() throws {
        let group = try #require(freezer.make("weighed"))
        let weight = group + "/cpu.weight"
        #expect(TestFiles.exists(weight) == freezer.hasWeights)
        freezer.setWeight(group, isBackground: true)
        if freezer.hasWeights { #expect(try TestFiles.text(weight) == "20\n") }
        freezer.setWeight(group, isBackground: false)
        if freezer.hasWeights { #expect(try TestFiles.text(weight) == "100\n") }
    }
}
