// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

/// The handling of a download whose addresses are out of reach, and of its bytes when no address is left.
@Suite struct MirrorDetourTests {
    private static func look(_ transfer: inout Transfer, reaching hosts: Set<String>) -> [TransferAction]? {
        transfer.outOfReach(.noRoute, now: MirrorStage.now, policy: MirrorStage.policy, jitter: 1) {
            hosts.contains($0.host)
        }
    }

    @Test func `one that cannot be reached from here makes way for one that can`() throws {
        var transfer = try MirrorStage.running(3)
        #expect(Self.look(&transfer, reaching: ["c.example"]) == nil, "an attempt runs")
        _ = transfer.networkLost(reached: 0, now: MirrorStage.now)
        #expect(Self.look(&transfer, reaching: ["c.example"]) == [.enqueue])
        #expect(MirrorStage.at(transfer) == "c" && transfer.state == .queued(since: MirrorStage.now.wall))
        let trouble = transfer.spec.mirrors?.addresses[0].trouble
        #expect(trouble?.isForGood == false)
        #expect(trouble?.failure.detail == "cannot connect to a.example:443: there is no route to the host")
        // The first address has its turn again.
        MirrorStage.begin(&transfer)
        MirrorStage.fail(&transfer, .init(.cannotConnect, "c is down"))
        #expect(MirrorStage.at(transfer) == "a" && transfer.state.kind == .waiting)
    }

    @Test func `there is a pause before each round, whether an address was tried or could not be`() throws {
        var transfer = try MirrorStage.running(2)
        for delay in [8.0, 16, 32] {
            MirrorStage.fail(&transfer, .init(.cannotConnect, "a is down"))
            #expect(MirrorStage.at(transfer) == "b" && transfer.state.kind == .queued)
            let actions = Self.look(&transfer, reaching: ["a.example"])
            #expect(
                MirrorStage.at(transfer) == "a" && actions == [.wake(Deadline(setAt: MirrorStage.now, delay: delay))]
            )
            MirrorStage.begin(&transfer)
        }
    }

    @Test func `what has arrived is lost only after three looks, and not at all with a checksum`() throws {
        var transfer = try MirrorStage.running(2)
        MirrorStage.receive(&transfer, "\"x\"")
        _ = transfer.networkLost(reached: 40, now: MirrorStage.now)
        for delay in [8.0, 16] {
            let actions = Self.look(&transfer, reaching: ["b.example"])
            #expect(
                MirrorStage.at(transfer) == "a" && actions == [.wake(Deadline(setAt: MirrorStage.now, delay: delay))]
            )
            transfer.state = .queued(since: MirrorStage.now.wall)
        }
        #expect(Self.look(&transfer, reaching: ["b.example"]) == [.enqueue])
        #expect(MirrorStage.at(transfer) == "b" && transfer.bytesDone == 0)
        var sure = try MirrorStage.running(2, checksum: MirrorStage.checksum)
        MirrorStage.receive(&sure, "\"x\"")
        _ = sure.networkLost(reached: 40, now: MirrorStage.now)
        #expect(Self.look(&sure, reaching: ["b.example"]) == [.enqueue])
        #expect(MirrorStage.at(sure) == "b" && sure.bytesDone == 40 && sure.partial?.isAdopted == true)
    }

    @Test func `a wrong length at the last address costs nothing of what others have sent`() throws {
        var transfer = try MirrorStage.running(2, checksum: MirrorStage.checksum)
        MirrorStage.receive(&transfer, "\"x\"")
        MirrorStage.fail(&transfer, .init(.certificateRejected, "expired"), reached: 40)
        MirrorStage.begin(&transfer, offset: 40)
        let end = MirrorStage.fail(&transfer, .init(.checksumMismatch, "it has a file of 99 bytes"), reached: 40)
        #expect(transfer.isFinished && !end.contains(.deletePartialFile) && transfer.bytesDone == 40)
        #expect(transfer.retry(now: MirrorStage.now) != nil)
        #expect(MirrorStage.at(transfer) == "a" && transfer.spec.mirrors?.isUntried == true)
        #expect(transfer.bytesDone == 40 && transfer.partial?.isAdopted == true)
        #expect(transfer.partial?.resumeOffset(fileSize: 40, bootID: "boot-1") == 40)
        // The bytes that this address sent itself are part of a wrong file.
        var own = try MirrorStage.running(2, checksum: MirrorStage.checksum)
        _ = MirrorStage.answer(&own, 404)
        MirrorStage.begin(&own)
        MirrorStage.receive(&own, "\"y\"")
        let wrong = MirrorStage.fail(&own, .init(.checksumMismatch, "it has a file of 99 bytes"), reached: 40)
        #expect(own.isFinished && wrong.contains(.deletePartialFile))
    }
}
