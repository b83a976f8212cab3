// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import Testing

/// Members are killed and stopped, and questions and answers are lost. Whatever happens, each row has one holder per
/// fence, none is lost, and each file is made once.
@Suite struct FleetSimulationTests {
    static let seeds = 1...200

    @Test(arguments: seeds) func `nothing is lost, held twice or made twice`(seed: Int) {
        let fleet = SimulatedFleet(seed: UInt64(seed), members: 4, repeatable: 30, once: 8, trouble: 240)
        #expect(fleet.run(upTo: 3000), "rows were left over")
        #expect(fleet.database.mistakes == [])
        for (id, row) in fleet.database.rows {
            if row.isRepeatable {
                #expect(row.state == .ended(.done), "row \(id)")
                #expect(fleet.uploads.objects[id] == 1, "row \(id)")
            } else {
                // Sent once, or the outcome is unknown.
                #expect(fleet.uploads.posts[id, default: 0] <= 1, "row \(id)")
                #expect(
                    row.state == .ended(.unknown) || row.state == .ended(.done) && fleet.uploads.posts[id] == 1,
                    "row \(id)"
                )
            }
        }
    }

    @Test func `the simulation has what it is about`() {
        var (fencings, refusals, lateCommits, unknown, again) = (0, 0, 0, 0, 0)
        for seed in 1...40 {
            let fleet = SimulatedFleet(seed: UInt64(seed), members: 4, repeatable: 30, once: 8, trouble: 240)
            _ = fleet.run(upTo: 3000)
            fencings += fleet.database.fencings
            refusals += fleet.database.refusals
            lateCommits += fleet.uploads.lateCommits
            unknown += fleet.database.rows.values.filter { $0.state == .ended(.unknown) }.count
            again += fleet.uploads.chunks.values.filter { $0 > SimulatedUploads.size }.count
        }
        #expect(fencings > 40 && refusals > 40 && lateCommits > 0 && unknown > 5 && again > 5)
    }

    @Test func `without trouble nothing is sent twice`() {
        let fleet = SimulatedFleet(seed: 1, members: 4, repeatable: 30, once: 8, trouble: 0)
        #expect(fleet.run(upTo: 3000))
        #expect(fleet.database.fencings == 0 && fleet.database.refusals == 0)
        #expect(fleet.uploads.chunks.values.allSatisfy { $0 == SimulatedUploads.size })
        #expect(fleet.database.rows.values.allSatisfy { $0.state == .ended(.done) })
    }
}
