// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCore
import OffstageTestSupport
import OffstageWork
import Testing

@Suite struct `The load of runs that need an idle machine` {
    private let system: FakeSystem
    private let run = OwnRun(process: ProcessIdentity(number: 70, startedAt: 1), group: nil)

    init() throws {
        system = try FakeSystem()
        try system.setPressure("1.00")
        try system.setUse(uptime: 1000, whole: 4000, used: 300)
        try system.setProcess(70, used: 5)
    }

    @Test func `what an app has used is its process's, its dead children's and its living ones'`() throws {
        try system.setProcess(70, used: 5, waited: 3, children: [71, 72])
        try system.setProcess(71, used: 10, parent: 70, children: [73])
        try system.setProcess(72, used: 20, parent: 70)
        try system.setProcess(73, used: 40, waited: 80, parent: 71)
        #expect(run.seconds(in: system.proc) == 158)
    }

    @Test func `a process that has taken over a child's number is another's`() throws {
        try system.setProcess(70, used: 5, children: [71])
        try system.setProcess(71, used: 10, parent: 1, children: [72])
        try system.setProcess(72, used: 20, parent: 71)
        #expect(run.seconds(in: system.proc) == 5)
    }

    @Test func `a long list of children is read to its end, and no number of it is cut`() throws {
        // The first page of the list, 4096 bytes, ends after the first digit of a number.
        let children = (0..<700).map { Int32(100_000 + $0) }
        try system.setProcess(70, used: 5, children: children)
        try system.setProcess(100_699, used: 10, parent: 70)
        #expect(run.seconds(in: system.proc) == 15)
    }

    @Test func `the walk over an app's processes has an end`() throws {
        let children = (0..<Int32(OwnRun.mostFiles + 100)).map { 100_000 + $0 }
        try system.setProcess(70, used: 5, children: children)
        // Beyond the end of the walk, which starts with the first child.
        try system.setProcess(try #require(children.last), used: 10, parent: 70)
        try system.setProcess(try #require(children.first), used: 20, parent: 70)
        #expect(run.seconds(in: system.proc) == 25)
    }

    @Test func `a process that has taken over its number is another`() throws {
        try system.setProcess(70, used: 5, startedAt: 2)
        #expect(run.seconds(in: system.proc) == nil)
        #expect(OwnRun(process: ProcessIdentity(number: 4, startedAt: 1), group: nil).seconds(in: system.proc) == nil)
    }

    @Test func `an app with a cgroup of its own is asked for that`() throws {
        let group = system.directory.path("group")
        try TestFiles.makeDirectory(group)
        let run = OwnRun(process: run.process, group: group)
        #expect(run.seconds(in: system.proc) == 5)
        try TestFiles.write("usage_usec 2500000\nuser_usec 2\nsystem_usec 3\n", to: group + "/cpu.stat")
        #expect(run.seconds(in: system.proc) == 2.5)
    }

    @Test func `a run that uses every processor does not make the machine busy`() throws {
        let monitor = system.monitor()
        monitor.wantsLoad = true
        monitor.ownRuns = [run]
        for look in 1...5 {
            try system.setPressure("90.00")
            try system.setUse(uptime: 1000 + look * 10, whole: 4000 + look * 40, used: 300 + look * 40)
            try system.setProcess(70, used: 5 + look * 40)
            #expect(!monitor.look())
            #expect(!monitor.conditions.isBusy)
        }
        #expect(monitor.sources["load"] == "processor pressure, and the processor time that others use")
        // The remaining load decides as usual when the run is over.
        monitor.ownRuns = nil
        #expect(monitor.conditions.isBusy)
        try system.setPressure("9.00")
        #expect(monitor.look())
        #expect(!monitor.conditions.isBusy)
    }

    @Test func `others that use a tenth make it busy, until they use less than a twentieth`() throws {
        let monitor = system.monitor()
        monitor.ownRuns = [run]
        try system.setPressure("90.00")
        try system.setUse(uptime: 1010, whole: 4040, used: 340)
        try system.setProcess(70, used: 41)
        #expect(monitor.look())
        #expect(monitor.conditions.isBusy)
        try system.setUse(uptime: 1020, whole: 4080, used: 380)
        try system.setProcess(70, used: 78)
        #expect(!monitor.look())
        try system.setUse(uptime: 1030, whole: 4120, used: 420)
        try system.setProcess(70, used: 117)
        #expect(monitor.look())
        #expect(!monitor.conditions.isBusy)
    }

    @Test func `others that use the processors while nobody waits do not make it busy`() throws {
        let monitor = system.monitor()
        monitor.ownRuns = [run]
        try system.setUse(uptime: 1010, whole: 4040, used: 340)
        #expect(!monitor.look())
        #expect(!monitor.conditions.isBusy)
    }

    @Test func `what an app used before its run, and after it, is others'`() throws {
        let monitor = system.monitor()
        monitor.ownRuns = []
        try system.setPressure("90.00")
        try system.setProcess(70, used: 45)
        monitor.ownRuns = [run]
        let second = OwnRun(process: ProcessIdentity(number: 80, startedAt: 1), group: nil)
        try system.setProcess(80, used: 100)
        monitor.ownRuns = [run, second]
        try system.setProcess(70, used: 55)
        monitor.ownRuns = [second]
        // Ten seconds within the first run, thirty after it.
        try system.setProcess(70, used: 85)
        try system.setUse(uptime: 1010, whole: 4040, used: 340)
        #expect(monitor.look())
        #expect(monitor.conditions.isBusy)
    }

    @Test func `an app that ends makes nobody busy with what it used last`() throws {
        let monitor = system.monitor()
        let other = OwnRun(process: ProcessIdentity(number: 80, startedAt: 1), group: nil)
        try system.setProcess(80, used: 1)
        monitor.ownRuns = [run, other]
        try system.setPressure("90.00")
        try system.setUse(uptime: 1010, whole: 4040, used: 340)
        try system.setProcess(70, used: 5, startedAt: 2)
        #expect(!monitor.look())
        monitor.ownRuns = [other]
        try system.setUse(uptime: 1020, whole: 4080, used: 342)
        #expect(!monitor.look())
        #expect(!monitor.conditions.isBusy)
    }

    @Test func `a machine that was busy before is told from one that the runs make so`() throws {
        // As found by a daemon that starts while they run.
        try system.setPressure("90.00")
        let monitor = system.monitor()
        #expect(monitor.conditions.isBusy)
        monitor.ownRuns = []
        #expect(!monitor.conditions.isBusy)
        monitor.ownRuns = [run]
        try system.setUse(uptime: 1010, whole: 4040, used: 340)
        try system.setProcess(70, used: 7)
        #expect(monitor.look())
        #expect(monitor.conditions.isBusy)
    }

    @Test func `without the processors' times the load alone decides`() throws {
        #expect(unlink(system.directory.path("proc/stat")) == 0)
        let monitor = system.monitor()
        monitor.ownRuns = [run]
        #expect(!monitor.conditions.isBusy)
        try system.setPressure("90.00")
        #expect(monitor.look())
        #expect(monitor.conditions.isBusy)
    }
}
