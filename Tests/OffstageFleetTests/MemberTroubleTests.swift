// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import OffstageCore
import OffstageFleet
import OffstageTestSupport
import Testing

/// A database that rejects a member's messages: no row stays with the member forever, and no end is lost.
@Suite(.enabled(if: PostgresServer.isThere, "needs PostgreSQL's server"))
struct MemberTroubleTests {
    private let server: FaultServer

    init() throws { server = try FaultServer() }

    private func puts(_ count: Int, _ stage: FleetStage) throws -> [Int64] {
        try stage.submit(
            (0..<count).map { number in
                server.script("/in/\(number)", .status(201))
                return try stage.upload(stage.file("\(number)", bytes: 10), to: server.url("/in/\(number)"))
            }
        )
    }

    @Test func `an end that the login may not report at present is reported later`() throws {
        let stage = try FleetStage()
        let one = try StagedMember("one", of: stage)
        _ = try stage.owner.ask("REVOKE EXECUTE ON FUNCTION offstage.finish FROM offstage_member")
        let ids = try puts(2, stage)
        try one.start()
        try one.wait(for: "The database refuses: permission denied")
        _ = try stage.owner.ask("GRANT EXECUTE ON FUNCTION offstage.finish TO offstage_member")
        for (number, id) in ids.enumerated() {
            try stage.wait(id, for: .done)
            #expect(server.requests("/in/\(number)").count == 1)
        }
    }

    @Test func `an end of which the database takes no receipt counts without it`() throws {
        let stage = try FleetStage()
        _ = try stage.owner.ask("ALTER TABLE offstage.ended ADD CHECK (receipt IS NULL OR id <> 2)")
        let one = try StagedMember("one", of: stage)
        let ids = try puts(4, stage)
        try one.start()
        for (number, id) in ids.enumerated() {
            let row = try stage.wait(id, for: .done)
            #expect((row.raw("receipt") == nil) == (id == 2))
            #expect(server.requests("/in/\(number)").count == 1)
        }
        try one.waitForNothing()
    }

    @Test func `a row whose memory cannot be kept is given back, and goes on when it can`() throws {
        let stage = try FleetStage()
        _ = try stage.owner.ask("ALTER TABLE offstage.memory ADD CONSTRAINT small CHECK (length(body) < 10)")
        let tus = try TusTestServer(size: 100_000)
        let one = try StagedMember("one", of: stage)
        try one.start()
        let spec = try stage.tusUpload("film", bytes: 100_000, to: tus)
        let id = try stage.submit([spec])[0]
        let row = try stage.wait(id, for: .later)
        #expect(row.raw("detail") == "the database did not take what its member reported")
        #expect(tus.bytes.isEmpty && tus.deleted == 0)
        _ = try stage.owner.ask("ALTER TABLE offstage.memory DROP CONSTRAINT small")
        let sends = try DatabaseTalk(stage.server.words("sends"))
        _ = try sends.ask("SELECT offstage.retry_rows($1)", ["{\(id)}"])
        try stage.wait(id, for: .done)
        #expect(try tus.completed == 1 && tus.bytes == TestFiles.read(spec.path))
    }

    @Test func `a member that may not ask at present asks again`() throws {
        let stage = try FleetStage()
        let one = try StagedMember("one", of: stage)
        try one.start()
        try one.wait(for: "Joined as member")
        _ = try stage.owner.ask("REVOKE EXECUTE ON FUNCTION offstage.turn FROM offstage_member")
        let id = try puts(1, stage)[0]
        try one.wait(for: "The database refuses: permission denied for function turn")
        _ = try stage.owner.ask("GRANT EXECUTE ON FUNCTION offstage.turn TO offstage_member")
        try stage.wait(id, for: .done)
        // The member logged this once, however often it asked.
        #expect(one.log.split(separator: "\n").count { $0.contains("permission denied") } == 1)
    }

    @Test func `a turn of a connection that was given up takes no rows any more`() throws {
        let stage = try FleetStage()
        _ = try puts(1, stage)
        let (old, new) = (try DatabaseTalk(stage.server.words("works")), try DatabaseTalk(stage.server.words("works")))
        let joined = try old.ask(
            "SELECT member, incarnation FROM offstage.join_fleet('one', '{}', 0::smallint, 1, '1')"
        )
        let me = [joined[0].raw("member"), joined[0].raw("incarnation")]
        #expect(try new.ask("SELECT * FROM offstage.held($1, $2, 2)", me).isEmpty)
        #expect(throws: DatabaseError.self) {
            try old.ask("SELECT * FROM offstage.turn($1, $2, 1, 30, 0, 5, 0)", me)
        }
        #expect(try stage.number("SELECT count(*) AS n FROM offstage.line WHERE state = 0") == 1)
        #expect(try new.ask("SELECT * FROM offstage.turn($1, $2, 3, 30, 0, 5, 0)", me).count == 1)
    }

    @Test func `what a hostile database says neither ends the member nor sends anything`() throws {
        let stage = try FleetStage()
        server.script("/in", .status(201))
        let secret = stage.folder.path("fleet.key")
        let spec = try FleetSpec(stage.upload(secret, to: server.url("/in"))).open
        _ = try stage.owner.ask("CREATE SEQUENCE public.looks")
        _ = try stage.owner.ask("GRANT USAGE ON SEQUENCE public.looks TO PUBLIC")
        _ = try stage.owner.ask("CREATE TABLE public.said (spec text)")
        _ = try stage.owner.ask("GRANT SELECT ON public.said TO PUBLIC")
        _ = try stage.owner.ask("INSERT INTO public.said VALUES ($1)", [spec])
        _ = try stage.owner.ask("DROP FUNCTION offstage.turn")
        _ = try stage.owner.ask(
            """
            CREATE FUNCTION offstage.turn(integer, integer, bigint, double precision, integer, integer, bigint)
            RETURNS TABLE (
                kind text, id text, fence text, wanted text, priority text, bytes text, is_repeatable text, path text,
                spec text, sealed text, memory text, host text
            ) LANGUAGE sql AS $$
                SELECT 'look ' || nextval('public.looks'), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
                UNION ALL SELECT '0', n, f, NULL, '-400', 'x', 'perhaps', 'p', s, e'\\\\x0', e'\\\\xzz',
                    repeat('h', 100000)
                FROM (VALUES ('1'), ('-1'), ('99999999999999999999'), (''), ('0x7')) AS a (n),
                    (VALUES ('1'), ('-5'), ('2147483648'), (NULL)) AS b (f), (VALUES ('{'), (NULL), ('[[[[')) AS c (s)
                UNION ALL SELECT '0', '8', '1', NULL, '999999999999', '1', 't', '/etc/passwd', s.spec, NULL, NULL,
                    '127.0.0.1'
                FROM public.said s
                UNION ALL SELECT '1', '8', '1', '77', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
                UNION ALL SELECT '2', v, NULL, NULL, NULL, NULL, NULL, 'all', '{"maximumRunning": 1e999}', NULL, NULL, NULL
                FROM (VALUES ('-1'), ('5')) AS d (v)
                UNION ALL SELECT '3', '12345678901234567890', '', '1', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
            $$
            """
        )
        _ = try stage.owner.ask("GRANT EXECUTE ON FUNCTION offstage.turn TO offstage_member")
        let one = try StagedMember("one", of: stage)
        try one.start()
        try one.wait(for: "The rules 'all' of the fleet make no sense")
        // Without a daemon it takes no rows, and queries no more often than any idle member.
        try one.wait(for: "Connected to the daemon")
        try eventually("it has looked again") {
            try stage.number("SELECT last_value AS n FROM public.looks") > 3 ? true : nil
        }
        #expect(one.process?.isRunning == true)
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: [
        "'0', '1', '30'", "'1', '-1', '30'", "'1', '4294967296', '30'", "'1', '1', 'NaN'", "'1', '1', '0'",
        "'', '', ''",
        "NULL, NULL, NULL",
    ]) func `a membership that makes no sense is none`(answer: String) throws {
        let stage = try FleetStage()
        _ = try stage.owner.ask("SELECT set_config('test.answer', $1, false)", [answer])
        _ = try stage.owner.ask("DROP FUNCTION offstage.join_fleet")
        _ = try stage.owner.ask(
            """
            DO $do$ BEGIN EXECUTE 'CREATE FUNCTION offstage.join_fleet(text, text[], smallint, integer, text)
                RETURNS TABLE (member text, incarnation text, lease_seconds text, fleet text) LANGUAGE sql
                SECURITY DEFINER AS $$ SELECT ' || current_setting('test.answer') || ', id::text FROM offstage.fleet $$';
            END $do$
            """
        )
        _ = try stage.owner.ask("GRANT EXECUTE ON FUNCTION offstage.join_fleet TO offstage_member")
        let one = try StagedMember("one", of: stage)
        try one.start()
        try one.wait(for: "What the database says of this member cannot be read.")
        #expect(one.process?.isRunning == true)
    }
}
