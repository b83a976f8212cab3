// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import OffstageCore
import OffstageFleet
import OffstageTestSupport
import Testing

/// Queues, limits, rules, members, figures, and maintaining the database.
@Suite(.enabled(if: PostgresServer.isThere, "needs PostgreSQL's server"))
struct FleetOperationTests {
    private static let root = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")

    @Test func `queues pause, servers are limited, and rules reach members`() throws {
        let fleet = try CommandFleet()
        try fleet.submit(["f1", "f2"], ["--queue", "nightly"])
        #expect(
            fleet.run(["fleet", "pause", "--queue", "nightly"], as: "olga").output == "Paused the queue nightly.\n"
        )
        #expect(fleet.run(["fleet", "queues"], as: "vic").output.contains("paused by olga"))
        #expect(fleet.run(["fleet", "why", "1"], as: "vic").output.contains("its queue 'nightly' is paused"))
        _ = try fleet.lease(5)
        #expect(try fleet.state(1) == "waiting")
        #expect(
            fleet.run(["fleet", "resume", "--queue", "nightly"], as: "olga").output == "Resumed the queue nightly.\n"
        )

        let limited = fleet.run(["fleet", "limit", "FILES.example", "1"], as: "olga")
        #expect(limited.output == "The fleet has at most 1 transfer with files.example at a time.\n")
        _ = try fleet.lease(5)
        #expect(try fleet.state(1) == "leased" && fleet.state(2) == "waiting")
        #expect(fleet.run(["fleet", "why", "2"]).output.contains("1 transfers with files.example run in the fleet"))
        let limits = fleet.run(["fleet", "limit"], as: "vic")
        #expect(limits.lines.count == 2 && limits.line(1).split(separator: " ") == ["files.example", "1", "1"])
        #expect(fleet.run(["fleet", "limit", "files.example", "none"], as: "olga").output.contains("no limit"))
        #expect(fleet.run(["fleet", "limit"], as: "vic").output == "No server has a limit.\n")

        let rules = fleet.run(["fleet", "rules", "phones", "--on", "kind=phone", #"{"metered":false}"#], as: "olga")
        #expect(rules.output == "phones  kind=phone  {\"metered\":false}\n", "\(rules.errors)")
        #expect(fleet.run(["fleet", "rules", "x", #"{"rateLimit":0}"#], as: "olga").status == .usage)
        #expect(fleet.run(["fleet", "rules", "--json"], as: "vic").output.contains("kind=phone"))
    }

    @Test func `members are listed with version, heartbeat and what they hold`() throws {
        let fleet = try CommandFleet()
        #expect(fleet.run(["fleet", "members"], as: "vic").output.contains("no members"))
        try fleet.submit(["f1"])
        _ = try fleet.lease(3, labels: ["site=seoul"])
        let members = fleet.run(["fleet", "members"], as: "vic")
        #expect(members.line(1).contains("nas-1") && members.line(1).contains("active"))
        #expect(members.line(1).contains("1.2.3") && members.line(1).contains("site=seoul"))
        // With rows it should have renewed its lease. Without, it queries once in 30 seconds, whatever the lease is.
        for (held, seconds, word) in [("3", "1", "silent"), ("0", "1", "active"), ("0", "60", "silent")] {
            _ = try fleet.owner.ask(
                "UPDATE offstage.member SET held = $1, alive_until = now() - make_interval(secs => $2)",
                [held, seconds]
            )
            #expect(fleet.run(["fleet", "members"], as: "vic").line(1).contains(word))
        }
        _ = try fleet.owner.ask("UPDATE offstage.member SET state = 3")
        #expect(fleet.run(["fleet", "members"], as: "vic").output.contains("no members"))
        #expect(fleet.run(["fleet", "members", "--left", "-q"], as: "vic").output == "nas-1\n")
    }

    @Test func `the figures are those of the database, in the form that Prometheus reads`() throws {
        let fleet = try CommandFleet()
        try fleet.submit(["f1", "f2", "f3"])
        _ = fleet.run(["fleet", "limit", "files.example", "7"])
        _ = try fleet.lease(1)
        let run = fleet.run(["fleet", "metrics"], as: "vic")
        for line in [
            #"offstage_fleet_rows{queue="default",state="waiting"} 2"#,
            #"offstage_fleet_rows{queue="default",state="leased"} 1"#, #"offstage_fleet_members{state="active"} 1"#,
            #"offstage_fleet_host_limit{host="files.example"} 7"#,
            #"offstage_fleet_host_running{host="files.example"} 1"#, #"offstage_fleet_queue_paused{queue="default"} 0"#,
            "offstage_fleet_schema_version \(SchemaStep.all.count)", "# EOF",
        ] { #expect(run.lines.contains(line), "\(line) in \(run.output)") }
    }

    @Test func `queues that somebody makes by the thousand make no more figures`() throws {
        let fleet = try CommandFleet()
        _ = try fleet.owner.ask("INSERT INTO offstage.queue (name) SELECT 'q' || n FROM generate_series(1, 1500) n")
        _ = try fleet.owner.ask(
            "INSERT INTO offstage.lane (queue, host, requires) SELECT 'q' || n, 'x', '{}' FROM generate_series(1, 1500) n"
        )
        _ = try fleet.owner.ask(
            "INSERT INTO offstage.change (lane, state, rows) SELECT l.id, 0, 1 + (l.queue = 'q1500')::integer FROM offstage.lane l"
        )
        _ = fleet.run(["fleet", "pause", "--queue", "q1500"])
        let lines = fleet.run(["fleet", "metrics"], as: "vic").lines
        let rows = lines.filter { $0.hasPrefix("offstage_fleet_rows{") }
        #expect(rows.count == 1001 && rows.contains(#"offstage_fleet_rows{queue="q1500",state="waiting"} 2"#))
        #expect(rows.contains(#"offstage_fleet_rows{queue="(others)",state="waiting"} 500"#))
        let paused = lines.filter { $0.hasPrefix("offstage_fleet_queue_paused{") }
        #expect(paused.count == 1000 && paused.contains(#"offstage_fleet_queue_paused{queue="q1500"} 1"#))
    }

    @Test func `each figure is in the documentation, with its kind`() throws {
        let fleet = try CommandFleet()
        let table = try TestFiles.text("\(Self.root)/docs/metrics.md")
        let types = fleet.run(["fleet", "metrics"], as: "vic").lines.filter { $0.hasPrefix("# TYPE ") }
        #expect(types.count == 9)
        for line in types {
            let words = line.split(separator: " ")
            let name = words[2]
            let row = table.split(separator: "\n").first { $0.hasPrefix("| `") && $0.contains("`\(name)`") }
            #expect(row?.contains("| \(words[3]) |") == true, "\(name)")
        }
        let named = table.split(separator: "`").filter { $0.hasPrefix("offstage_fleet_") && !$0.contains(" ") }
        #expect(Set(named).allSatisfy { name in types.contains { $0.hasPrefix("# TYPE \(name) ") } })
    }

    @Test func `a fleet at a glance, and from a member's machine without being told which`() throws {
        let fleet = try CommandFleet()
        try fleet.submit(["f1", "f2", "f3"], ["--on", "site=seoul"])
        _ = fleet.run(["fleet", "limit", "files.example", "7"])
        _ = try fleet.lease(1, labels: ["site=seoul"])
        let run = fleet.run(["fleet", "status", "--json"], as: "vic")
        let status = try run.json()
        #expect(status["counts"]["waiting"].integer == 2 && status["counts"]["leased"].integer == 1, "\(run)")
        #expect(status["queues"][0]["name"].string == "default" && status["schema"].integer == SchemaStep.all.count)
        #expect(status["members"][0]["name"].string == "nas-1" && status["members"][0]["version"].string == "1.2.3")
        #expect(status["limits"][0]["host"].string == "files.example" && status["limits"][0]["running"].integer == 1)
        #expect(status["open"].array.count == 2 && status["open"][0]["summary"].string?.contains("in line") == true)
        let text = fleet.run(["fleet", "status"], as: "vic").output
        #expect(text.contains("3 rows: 2 waiting, 1 leased; the first in line has waited"), "\(text)")
        #expect(text.contains("nas-1") && text.contains("files.example") && text.contains("3  f3: "))

        // A member knows its database.
        let id = try #require(status["fleet"].string)
        try TestFiles.makeDirectory(fleet.home("mem"))
        try TestFiles.write(
            Array(
                """
                {"database":"\(fleet.server.words("mem"))","fleet":"\(id)","name":"nas-1","key":"/nonexistent/fleet.key"}
                """.utf8
            ),
            to: fleet.home("mem") + "/fleet-member.json",
            mode: 0o600
        )
        let known = fleet.run(["fleet", "list", "-q"], as: "mem", environment: ["OFFSTAGE_FLEET_DATABASE": ""])
        #expect(known.output == "3\n2\n1\n", "\(known)")
        let unknown = fleet.run(["fleet", "list"], as: "bob", environment: ["OFFSTAGE_FLEET_DATABASE": ""])
        #expect(unknown.errors.contains("No fleet is known"))
    }

    @Test func `what devices have shown is listed, and forgotten with time`() throws {
        let fleet = try CommandFleet()
        #expect(fleet.run(["fleet", "outcomes"], as: "vic").output.contains("No device has shown"))
        let talk = try DatabaseTalk(fleet.server.words("mem"))
        for name in ["phone-1", "phone-2"] {
            let joined = try talk.ask(
                "SELECT member, incarnation FROM offstage.join_fleet($1, '{}', 1::smallint, 1, '1.2.3')",
                [name]
            ).first
            _ = try talk.ask(
                """
                SELECT offstage.show_outcomes($1, $2, '{7,8}', '{0,1}', ARRAY[now() - interval '2 d', now() - interval '1 h'], \
                '{/home/a/one.jpg,/home/a/two.jpg}', '{https://a.example/,https://a.example/}', '{10,20}', '{NULL,no way there}')
                """,
                [joined?.raw("member"), joined?.raw("incarnation")]
            )
        }
        let all = try fleet.run(["fleet", "outcomes", "--json"], as: "vic").json()["outcomes"].array
        #expect(all.compactMap { $0["member"].string } == ["phone-2", "phone-1", "phone-2", "phone-1"])
        #expect(all.first?["result"].string == "failed" && all.first?["detail"].string == "no way there")
        #expect(all.last?["result"].string == "done" && all.last?["bytes"].integer == 10)
        let failed = fleet.run(["fleet", "outcomes", "--failed", "-n", "1", "phone-1"], as: "vic")
        #expect(failed.lines.count == 2 && failed.line(1).contains("phone-1") && failed.line(1).contains("two.jpg"))
        #expect(fleet.run(["fleet", "outcomes", "phone-3"], as: "vic").output.contains("No device has shown"))
        #expect(try fleet.run(["fleet", "status", "--json"], as: "vic").json()["outcomes"].array.count == 4)

        let refused = fleet.run(["fleet", "prune", "--older", "1d"], as: "vic")
        #expect(refused.status == .daemonUnreachable && refused.errors.contains("may not do that"))
        let would = fleet.run(["fleet", "prune", "--older", "1d", "--dry-run"], as: "olga")
        #expect(would.output.hasPrefix("Would forget 2 outcomes of devices."), "\(would)")
        #expect(fleet.run(["fleet", "prune", "--older", "1d"], as: "olga").output.hasPrefix("Forgot 2 outcomes"))
        #expect(try fleet.run(["fleet", "outcomes", "--json"], as: "vic").json()["outcomes"].array.count == 2)
    }

    @Test func `a batch in two partitions keeps the keys of the rows that are left`() throws {
        let fleet = try CommandFleet()
        _ = try fleet.owner.ask("SELECT setval('offstage.item_id', 9999998)")
        #expect(try fleet.submit(["f1", "f2"], ["--once", "x"]) == [9_999_999, 10_000_000])
        _ = fleet.run(["fleet", "cancel", "9999999"])
        #expect(fleet.run(["fleet", "prune", "--older", "0"], as: "olga").output.hasPrefix("Dropped 1 row"))
        #expect(try fleet.submit(["f2"], ["--once", "x"]) == [10_000_000])
        #expect(try fleet.submit(["f1"], ["--once", "x"]) == [10_000_001])
    }

    @Test func `old partitions are dropped with the keys of their rows, and nothing that has not ended`() throws {
        let fleet = try CommandFleet()
        try fleet.submit(["f1", "f2"], ["--once", "x"])
        _ = try fleet.owner.ask("SELECT setval('offstage.item_id', 10000000)")
        try fleet.submit(["f3"], ["--once", "x"])
        #expect(
            fleet.run(["fleet", "prune", "--older", "0"], as: "olga").output.contains("No partition is old enough")
        )
        _ = fleet.run(["fleet", "cancel", "1", "2"])
        #expect(fleet.run(["fleet", "prune"], as: "olga").output.contains("No partition is old enough"))
        let would = fleet.run(["fleet", "prune", "--older", "0", "--dry-run"], as: "olga")
        #expect(would.output.hasPrefix("Would drop 2 rows, 1 to 9999999"), "\(would)")
        #expect(try fleet.state(1) == "cancelled")
        let dropped = fleet.run(["fleet", "prune", "--older", "0"], as: "olga")
        #expect(dropped.output.hasPrefix("Dropped 2 rows, 1 to 9999999"))
        #expect(fleet.run(["fleet", "show", "1"]).status == .notFound)
        #expect(fleet.run(["fleet", "list"]).output.contains("1 row: 1 waiting"))
        // Submitted anew, since the record is gone; the remaining row still has its key.
        #expect(try fleet.submit(["f1"], ["--once", "x"]) == [10_000_002])
        #expect(try fleet.submit(["f3"], ["--once", "x"]) == [10_000_001])
    }

    @Test func `after a backup was restored nothing that members remember counts`() throws {
        let fleet = try CommandFleet()
        try fleet.submit(["f1", "f2"])
        let (member, me) = try fleet.lease(1)
        let restored = fleet.run(["fleet", "restored", "--yes"], as: "olga")
        #expect(restored.output.hasPrefix("Fenced 1 member; 1 row that they held waits again."), "\(restored)")
        do {
            _ = try member.ask("SELECT * FROM offstage.turn($1, $2, 2, 30, 0, 1, 0)", me)
            Issue.record("A member of before had a turn.")
        } catch let error as DatabaseError {
            #expect(error.kind == .fenced)
        }
        #expect(try fleet.state(1) == "waiting")
        // The next row, and the next lease of an old one, have numbers that were never used.
        #expect(try fleet.submit(["f3"]) == [1_000_000_003])
        _ = try fleet.lease(5, as: "nas-2")
        let fences = try fleet.owner.ask("SELECT fence FROM offstage.line ORDER BY id").map { $0.raw("fence") }
        #expect(fences == ["1025", "1025", "1"])
    }

    @Test func `without NOTIFY everything but the hint works`() throws {
        let fleet = try CommandFleet()
        // YugabyteDB's answer while NOTIFY is turned off. A system function can only be replaced with this setting on.
        _ = try fleet.owner.ask("SET allow_system_table_mods = on")
        _ = try fleet.owner.ask(
            """
            CREATE OR REPLACE FUNCTION pg_catalog.pg_notify(text, text) RETURNS void LANGUAGE plpgsql AS \
            $$BEGIN RAISE EXCEPTION 'LISTEN/NOTIFY is unavailable' USING ERRCODE = '0A000'; END$$
            """
        )
        try fleet.submit(["f1", "f2"])
        #expect(fleet.run(["fleet", "pause", "1"], as: "ann").status == .success)
        #expect(fleet.run(["fleet", "resume", "1"], as: "ann").status == .success)
        _ = try fleet.lease(5)
        #expect(fleet.run(["fleet", "cancel", "2"], as: "ann").status == .success)
        #expect(fleet.run(["fleet", "rules", "x", #"{"paused":true}"#], as: "olga").status == .success)
        #expect(try fleet.state(1) == "leased")
    }

    @Test func `a database without a fleet, and one that is not there, are told of in a sentence`() throws {
        let fleet = try CommandFleet(isSetUp: false)
        let none = fleet.run(["fleet", "list"])
        #expect(none.status == .daemonUnreachable && none.errors.contains("'offstage fleet init' makes or upgrades it"))
        let gone = fleet.run(["fleet", "list"], environment: ["OFFSTAGE_FLEET_DATABASE": "host=/nonexistent dbname=x"])
        #expect(gone.status == .daemonUnreachable && gone.errors.contains("cannot be reached"))
    }
}
