// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCommands
import OffstageCore
import OffstageFleet
import OffstageTestSupport
import Testing

/// Viewing and changing rows, by role.
@Suite(.enabled(if: PostgresServer.isThere, "needs PostgreSQL's server"))
struct FleetPeopleTests {
    @Test func `rows are listed page by page, shown, and explained`() throws {
        let fleet = try CommandFleet()
        #expect(fleet.run(["fleet", "list"], as: "vic").output.hasPrefix("The fleet has no rows yet"))
        try fleet.submit((1...5).map { "f\($0)" }, ["--on", "site=seoul", "--label", "batch"])
        let page = fleet.run(["fleet", "list", "-n", "2"], as: "vic")
        #expect(page.line(1).contains("5  waiting") && page.line(2).contains("batch: f4 → files.example"))
        #expect(page.output.contains("5 rows: 5 waiting — 2 shown; older: offstage fleet list --before 4"))
        #expect(fleet.run(["fleet", "list", "-q", "--before", "3"], as: "vic").lines == ["2", "1"])
        #expect(fleet.run(["fleet", "list", "-q", "--all"], as: "vic").lines.count == 5)
        #expect(fleet.run(["fleet", "list", "--state", "done"], as: "vic").output.hasPrefix("No row matches."))
        let json = try fleet.run(["fleet", "list", "--json", "-n", "1"], as: "vic").json()
        #expect(json["hasMore"] == .bool(true))
        #expect(json["counts"] == .object(["waiting": .number(5)]))

        let shown = fleet.run(["fleet", "show", "2", "9"], as: "vic")
        #expect(shown.status == .notFound && shown.errors.contains("There is no row 9"))
        #expect(shown.output.contains("labels     site=seoul") && shown.output.contains("by ann"))

        let why = fleet.run(["fleet", "why", "1"], as: "vic")
        #expect(why.output.contains("waits for a member with label site=seoul; the fleet has none"))
        _ = try fleet.lease(1, as: "nas-2", labels: ["site=busan"])
        #expect(fleet.run(["fleet", "why", "1"]).output.contains("one other lacks label site=seoul"))
        _ = try fleet.lease(1, labels: ["site=seoul"])
        #expect(fleet.run(["fleet", "why", "1"]).output.contains("under way at nas-1"))
        #expect(fleet.run(["fleet", "list", "--state", "leased"]).line(1).contains("nas-1"))
        let reasons = try fleet.run(["fleet", "why", "--json"], as: "vic").json()
        let rows = reasons["rows"].array
        #expect(rows.count == 5 && rows.last?["summary"] == .string("under way at nas-1"))
        _ = try fleet.owner.ask("UPDATE offstage.member SET state = 2")
        #expect(fleet.run(["fleet", "why", "3"]).output.contains("one is drained"))
    }

    @Test func `a live view shows counts, members and what is under way, until q`() throws {
        let fleet = try CommandFleet()
        try fleet.submit(["f1", "f2"], ["--label", "batch"])
        _ = try fleet.lease(1)
        #expect(fleet.run(["fleet", "watch"], as: "vic").errors.contains("needs a terminal"))
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        defer { close(ends[0]) }
        // The first view is shown before the second query begins: then the key is typed.
        let (typing, words) = (ends[1], fleet.server.words())
        try TestThread.start {
            try? Self.waitForSecondLook(words)
            _ = write(typing, "q", 1)
            close(typing)
        }
        let run = fleet.run(["fleet", "watch", "--every", "0.5s"], as: "vic", columns: 100, keyboard: ends[0])
        #expect(run.status == .success, "\(run)")
        #expect(run.output.contains("2 rows: 1 waiting, 1 leased") && run.output.contains("nas-1"))
        #expect(run.output.contains("batch: f1 → files.example"))
    }

    private static func waitForSecondLook(_ words: String) throws {
        let talk = try DatabaseTalk(words)
        var first: String?
        try eventually("the view looks again") {
            let begun = try talk.ask(
                """
                SELECT max(query_start) AS at, coalesce(max(query_start) > $1::timestamptz + interval '0.3 s', false) AS again
                FROM pg_stat_activity WHERE usename = 'vic'
                """,
                [first]
            ).first
            first = first ?? begun?.raw("at")
            return begun?.raw("again") == "t" ? true : nil
        }
    }

    @Test func `q ends a live view of a database that says nothing`() throws {
        let fleet = try CommandFleet(isSetUp: false)
        let silent = try LoopbackSocket.listen(address: "127.0.0.1", port: 0)
        defer { close(silent) }
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0 && write(ends[1], "q", 1) == 1)
        defer { for end in ends { close(end) } }
        let address = "host=127.0.0.1 port=\(try LoopbackSocket.port(of: silent)) user=vic dbname=postgres"
        let run = fleet.run(
            ["fleet", "watch"],
            as: "vic",
            environment: ["OFFSTAGE_FLEET_DATABASE": address],
            columns: 100,
            keyboard: ends[0]
        )
        #expect(run.status == .success, "\(run)")
    }

    @Test func `a person is asked before many rows change`() throws {
        let fleet = try CommandFleet()
        try fleet.submit(["f1", "f2"])
        let keyboard = open("/dev/null", O_RDONLY)
        defer { close(keyboard) }
        let no = fleet.run(["fleet", "cancel", "--all"], as: "ann", input: "n\n", columns: 80, keyboard: keyboard)
        #expect(
            no.status == .failure && no.output.contains("Cancel all rows (2 waiting")
                && no.output.contains("Nothing was done.")
        )
        #expect(try fleet.state(1) == "waiting")
        let yes = fleet.run(["fleet", "cancel", "--all"], as: "ann", input: "yes\n", columns: 80, keyboard: keyboard)
        #expect(yes.status == .success && yes.output.contains("Cancelled 2 rows."), "\(yes)")
    }

    @Test func `whoever submitted a row pauses, resumes, cancels and retries it, and an operator any`() throws {
        let fleet = try CommandFleet()
        try fleet.submit(["f1", "f2", "f3"], as: "ann")
        #expect(fleet.run(["fleet", "pause", "1", "2"], as: "ann").output == "Paused 1, 2.\n")
        #expect(
            fleet.run(["fleet", "retry", "3"], as: "ann").errors.contains("Row 3 is waiting: it cannot be retried.")
        )
        #expect(fleet.run(["fleet", "resume", "1"], as: "ann").output == "Resumed 1.\n")
        #expect(try fleet.state(1) == "waiting" && fleet.state(2) == "paused")

        let other = fleet.run(["fleet", "cancel", "2", "7"], as: "bob")
        #expect(other.status == .failure && other.errors.contains("Row 2 was submitted by ann"))
        #expect(other.errors.contains("There is no row 7."))
        #expect(try fleet.state(2) == "paused")
        let json = try fleet.run(["fleet", "cancel", "--json", "2", "7"], as: "olga").json()
        #expect(json["done"] == .array([.number(2)]))
        #expect(try fleet.state(2) == "cancelled")
        #expect(fleet.run(["fleet", "retry", "2"], as: "olga").output == "Waiting again: 2.\n")

        // A leased row is cancelled by its member.
        let (member, me) = try fleet.lease(3)
        #expect(fleet.run(["fleet", "cancel", "1"], as: "ann").output == "Cancelled 1.\n")
        #expect(fleet.run(["fleet", "list", "--state", "leased"]).output.contains("cancelling"))
        _ = try member.ask(
            "SELECT * FROM offstage.finish($1, $2, '{1,3}', '{1,1}', '{2,1}', '{null,503}', '{0,0}', '{null,busy}', '{null,null}')",
            me
        )
        #expect(try fleet.state(1) == "cancelled" && fleet.state(3) == "failed")
        let all = fleet.run(["fleet", "retry", "--all", "--yes"], as: "ann")
        #expect(all.output == "Waiting again: 1 row.\n", "\(all)")
        #expect(fleet.run(["fleet", "retry", "--all"], as: "ann").errors.contains("add --yes"))
        #expect(fleet.run(["fleet", "cancel", "1-30"], as: "ann").errors.contains("add --yes"))
    }

    @Test func `a row whose end is unknown is settled`() throws {
        let fleet = try CommandFleet()
        try fleet.submit(["f1", "f2"], ["-X", "POST", "--no-idempotency-key"])
        let (member, me) = try fleet.lease(2)
        _ = try member.ask("SELECT * FROM offstage.begin_rows($1, $2, '{1,2}', '{1,1}')", me)
        _ = try fleet.owner.ask("UPDATE offstage.member SET alive_until = now() - interval '1 hour'")
        _ = try fleet.owner.ask("UPDATE offstage.fleet SET swept_at = '-infinity'")
        _ = try fleet.lease(1, as: "nas-2")
        #expect(try fleet.state(1) == "unknown")
        #expect(fleet.run(["fleet", "why", "1"]).output.contains("nobody knows whether the file has arrived"))
        #expect(fleet.run(["fleet", "settle", "1"], as: "vic").status == .daemonUnreachable)
        #expect(fleet.run(["fleet", "settle", "1"], as: "ann").output == "Settled 1.\n")
        #expect(fleet.run(["fleet", "settle", "--failed", "2"], as: "ann").status == .success)
        #expect(try fleet.state(1) == "done" && fleet.state(2) == "failed")
        #expect(fleet.run(["fleet", "settle", "1"], as: "ann").errors.contains("Row 1 is done: it cannot be settled."))
    }

    @Test func `a row that is retried after its last lease has all of its leases again`() throws {
        let fleet = try CommandFleet()
        try fleet.submit(["f1"])
        _ = try fleet.owner.ask("UPDATE offstage.fleet SET most_leases = 2")
        func leaseAndGiveBack(_ name: String) throws {
            let (member, me) = try fleet.lease(1, as: name)
            let fence = try fleet.owner.ask("SELECT fence FROM offstage.line").first?.raw("fence")
            _ = try member.ask(
                "SELECT offstage.give_back($1, $2, '{1}', ARRAY[$3::integer], '{0}', '{gone}')",
                me + [fence]
            )
        }
        try leaseAndGiveBack("nas-1")
        #expect(try fleet.state(1) == "waiting")
        try leaseAndGiveBack("nas-2")
        #expect(try fleet.state(1) == "failed")
        #expect(fleet.run(["fleet", "retry", "1"], as: "ann").status == .success)
        try leaseAndGiveBack("nas-3")
        #expect(try fleet.state(1) == "waiting")
        try leaseAndGiveBack("nas-4")
        #expect(try fleet.state(1) == "failed")
    }

    @Test func `a viewer changes nothing, and a submitter neither leases nor operates`() throws {
        let fleet = try CommandFleet()
        try fleet.submit(["f1"])
        for command in [
            ["pause", "1"], ["resume", "--queue", "default"], ["cancel", "1"], ["retry", "1"], ["settle", "1"],
            ["limit", "files.example", "1"], ["rules", "x", "{}"], ["pause", "--queue", "default"], ["prune"],
            ["restored", "--yes"],
        ] {
            let viewer = fleet.run(["fleet"] + command, as: "vic")
            #expect(viewer.status == .daemonUnreachable && viewer.output.isEmpty, "\(command): \(viewer)")
            guard !["cancel", "retry", "settle", "resume"].contains(command[0]), command != ["pause", "1"] else {
                continue
            }
            let submitter = fleet.run(["fleet"] + command, as: "ann")
            #expect(submitter.status == .daemonUnreachable, "\(command): \(submitter)")
        }
        let path = try fleet.file("f2")
        #expect(
            fleet.run(["upload", "--fleet", path, "https://files.example/"], as: "vic").status == .daemonUnreachable
        )
        #expect(
            fleet.run(["upload", "--fleet", path, "https://files.example/"], as: "mem").status == .daemonUnreachable
        )
        for login in ["ann", "vic", "olga"] {
            let talk = try DatabaseTalk(fleet.server.words(login))
            for question: StaticString in [
                "SELECT * FROM offstage.join_fleet('x', '{}', 0::smallint, 1, '1')",
                "SELECT * FROM offstage.turn(1, 1, 1, 30, 0, 1, 0)", "SELECT * FROM offstage.leased(1, 1, '{1}')",
            ] {
                do {
                    _ = try talk.ask(question)
                    Issue.record("\(login) did \(question)")
                } catch let error as DatabaseError {
                    #expect(error.kind == .rights)
                }
            }
        }
        #expect(try fleet.state(1) == "waiting")
    }
}
