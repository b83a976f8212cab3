// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import OffstageCore
import OffstageFleet
import OffstageTestSupport
import Testing

/// A member without rows does not query the database, and is not considered dead.
@Suite(.enabled(if: PostgresServer.isThere, "needs PostgreSQL's server"))
struct IdleMemberTests {
    @Test func `a member without rows lets its lease run out, says nothing, and takes rows all the same`() throws {
        let server = try FaultServer()
        server.script("/in/late", .status(201))
        let stage = try FleetStage(lease: 2)
        let one = try StagedMember("one", of: stage)
        try one.start()
        try eventually("it has had a turn") {
            try stage.number("SELECT count(*) AS n FROM offstage.member WHERE beat > 0") == 1 ? true : nil
        }
        // Its lease is two seconds, and is not renewed for three.
        try eventually("the lease has run out") {
            try stage.number(
                "SELECT count(*) AS n FROM offstage.member WHERE alive_until < now() - interval '1 second'"
            ) == 1 ? true : nil
        }
        #expect(try stage.number("SELECT count(*) AS n FROM offstage.member_state WHERE NOT is_silent") == 1)
        #expect(!one.log.contains("in doubt"))
        let rows = try stage.submit([try stage.upload(stage.file("late", bytes: 10), to: server.url("/in/late"))])
        let row = try stage.wait(rows[0], for: .done, within: 10)
        #expect(row.raw("status") == "201" && row.raw("fence") == "1")
    }
}
