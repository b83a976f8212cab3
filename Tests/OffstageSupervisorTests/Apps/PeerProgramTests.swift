// SPDX-License-Identifier: Apache-2.0
import EngineTestSupport
import FoundationEssentials
import Glibc
import OffstageCore
import OffstageProtocol
import OffstageRuntime
import OffstageSupervisor
import OffstageTestSupport
import Testing

/// Identifying a peer, even if its program is not looked at: its pidfd is closed all the same.
@Suite struct `Looking at the program of a peer` {
    /// A descriptor in place of a pidfd, and whether it has been closed.
    private final class Witness {
        let descriptor: Int32
        private let otherEnd: Int32

        init() throws {
            var ends: [Int32] = [-1, -1]
            guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
                throw TestError.system("socketpair")
            }
            (descriptor, otherEnd) = (ends[0], ends[1])
        }

        deinit { close(otherEnd) }

        var isOpen: Bool { !hasHungUp(within: 0) }
        /// A process that another test is starting holds a copy until its program begins.
        var isClosed: Bool { hasHungUp(within: 20_000) }

        private func hasHungUp(within milliseconds: Int32) -> Bool {
            var item = pollfd(fd: otherEnd, events: Int16(POLLIN), revents: 0)
            return poll(&item, 1, milliseconds) == 1
        }
    }

    /// A memory of enough crashes over these tests' program to set it aside.
    private func memoryOfCrashes() throws -> CrashMemory {
        let link = try #require(ProcessFacts.executableLink(of: getpid()))
        let program = String(decoding: Array(link.utf8).suffix(80), as: UTF8.self)
        var containment = CrashContainment()
        for number in 0...CrashContainment.crashesUntilAlone {
            containment.died(
                DaemonDeath(
                    at: Moment(wall: Date(timeIntervalSince1970: 1_800_000_000), bootID: "boot", uptime: 1000),
                    version: "1",
                    signal: 4,
                    thread: "worker",
                    place: "offstaged+0x\(number)",
                    work: DaemonWork(.app, .attaching, name: program),
                    underWay: []
                )
            )
        }
        return CrashMemory(containment)
    }

    @Test func `a program that is not suspected is identified, and its pidfd closed`() throws {
        let reader = PeerReader.kernel(CrashMemory())
        #expect(reader.identify(getpid(), -1)?.process.number == getpid())
        let witness = try Witness()
        _ = reader.identify(getpid(), witness.descriptor)
        #expect(witness.isClosed)
    }

    @Test func `a program that is set aside is not identified, and its pidfd closed`() throws {
        let reader = PeerReader.kernel(try memoryOfCrashes())
        let witness = try Witness()
        #expect(reader.identify(getpid(), witness.descriptor) == nil)
        #expect(witness.isClosed)
    }

    @Test func `a program that is set aside does not get on stage, and its pidfd is closed`() throws {
        let crashes = try memoryOfCrashes()
        let stage = try SupervisorStage().next { $0.crashes = crashes }
        let (center, witness) = (stage.center, try Witness())
        let pidfd = witness.descriptor
        #expect(throws: WireFailure.self) {
            try stage.engine.run {
                try await center.attach(
                    AttachApp(view: StageView()),
                    connection: 99,
                    process: getpid(),
                    pidfd: pidfd
                )
            }
        }
        #expect(witness.isClosed)
    }

    @Test func `a pidfd that nobody takes is closed with its owner, one that was taken is not`() throws {
        let left = try Witness()
        _ = PeerPidfd(left.descriptor)
        #expect(left.isClosed)
        let taken = try Witness()
        let descriptor = PeerPidfd(taken.descriptor).take()
        #expect(descriptor == taken.descriptor)
        #expect(taken.isOpen)
        close(descriptor)
        #expect(taken.isClosed)
    }
}
