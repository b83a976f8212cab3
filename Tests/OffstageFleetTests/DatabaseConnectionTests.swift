// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageFleet
import OffstageTestSupport
import Testing

@Suite(.enabled(if: PostgresServer.isThere, "needs PostgreSQL's server"))
struct DatabaseConnectionTests {
    @Test func `questions are answered in their order, with values that are never a part of the text`() throws {
        let server = try PostgresServer()
        let talk = try DatabaseTalk(server.words())
        let hostile = "'); DROP TABLE x; -- \\ $1 \u{1F600} \""
        let numbers = [
            talk.connection.ask("SELECT $1::text AS a, $2::bigint AS b, $3::text AS c", [hostile, "12", nil]),
            talk.connection.ask("SELECT 1/$1::integer", ["0"]),
            talk.connection.ask("SELECT $1::text AS nul", ["a\0b"]),
            talk.connection.ask(
                "SELECT current_setting('transaction_isolation') AS level, current_setting('jit') AS jit"
            ),
        ]
        let first = try talk.answer(numbers[0])
        #expect(first.first?.raw("a") == hostile)
        #expect(first.first?.number("b", FleetRowNumbers.self) == 12)
        #expect(first.first?.raw("c") == nil)
        #expect(throws: DatabaseError(.refused, "division by zero", code: "22012")) { try talk.answer(numbers[1]) }
        #expect(throws: DatabaseError.self) { try talk.answer(numbers[2]) }
        let last = try talk.answer(numbers[3])
        #expect(last.first?.raw("level") == "read committed" && last.first?.raw("jit") == "off")
        #expect(talk.connection.isIdle)
    }

    @Test func `rows are submitted by COPY, leased, and refused to whoever is fenced`() throws {
        let server = try PostgresServer()
        let owner = try DatabaseTalk(server.words())
        try owner.migrate()
        _ = try owner.ask("CREATE ROLE sends LOGIN INHERIT IN ROLE offstage_submitter")
        _ = try owner.ask("CREATE ROLE works LOGIN INHERIT IN ROLE offstage_member")
        let member = try DatabaseTalk(server.words("works"))
        _ = try member.ask("LISTEN offstage_work")
        try submit(3000, to: try DatabaseTalk(server.words("sends")))
        let channel: String = try member.next { if case .notified(let channel, _) = $0 { channel } else { nil } }
        #expect(channel == "offstage_work")
        let joined = try member.ask(
            "SELECT member, incarnation FROM offstage.join_fleet($1, $2, 0::smallint, 1, '1')",
            ["nas-1", FleetLabels.none.array]
        )
        let me = [joined.first?.raw("member"), joined.first?.raw("incarnation")]
        let rows = try member.ask("SELECT id, fence, path FROM offstage.turn($1, $2, 1, 30, 0, 500, 0)", me)
        #expect(rows.count == 500)
        #expect(rows.compactMap { FleetGrant(row: $0.raw("id"), fence: $0.raw("fence")) }.count == 500)
        #expect(rows.first?.text("path")?.description == "/mnt/0")
        let standing = FleetStanding(try member.ask("SELECT * FROM offstage.why(3000)"))
        #expect(standing?.sentence == "in line behind 1000 others or more")
        _ = try owner.ask("UPDATE offstage.member SET incarnation = incarnation + 1")
        do {
            _ = try member.ask("SELECT * FROM offstage.turn($1, $2, 2, 30, 0, 1, 0)", me)
            Issue.record("A fenced member had a turn.")
        } catch let error as DatabaseError {
            #expect(error.kind == .fenced)
        }
        do {
            _ = try member.ask("SELECT sealed FROM offstage.item")
            Issue.record("A member read a table.")
        } catch let error as DatabaseError {
            #expect(error.kind == .rights)
        }
    }

    private func submit(_ count: Int, to talk: DatabaseTalk) throws {
        let batch = "00000000-0000-0000-0000-00000000000a"
        _ = try talk.ask("BEGIN")
        let copy = talk.connection.ask(
            "COPY offstage.intake (batch, place, host, path, destination, bytes, is_repeatable, spec) FROM STDIN"
        )
        try talk.next { $0 == .copying(copy) ? true : nil }
        for place in 0..<count {
            let line = "\(batch)\t\(place)\tfiles.example\t/mnt/\(place)\thttps://files.example/\(place)\t9\tt\t{}\n"
            while !talk.connection.copy(Array(line.utf8)) { _ = talk.connection.proceed() }
            _ = talk.connection.proceed()
        }
        while !talk.connection.endCopy() { _ = talk.connection.proceed() }
        _ = try talk.answer(copy)
        let taken = try talk.ask("SELECT first_id, rows FROM offstage.submit($1)", [batch])
        #expect(taken.first?.raw("rows") == "\(count)" && taken.first?.raw("first_id") == "1")
        _ = try talk.ask("COMMIT")
    }

    @Test func `a COPY that is given up takes nothing in, and the connection is as good as before`() throws {
        let server = try PostgresServer()
        let talk = try DatabaseTalk(server.words())
        _ = try talk.ask("CREATE TEMPORARY TABLE copied (n integer)")
        let copy = talk.connection.ask("COPY copied FROM STDIN")
        try talk.next { $0 == .copying(copy) ? true : nil }
        #expect(talk.connection.copy(Array("1\n".utf8)))
        #expect(talk.connection.endCopy(reason: "the list has ended too soon"))
        #expect(throws: DatabaseError.self) { try talk.answer(copy) }
        #expect(try talk.ask("SELECT count(*) AS n FROM copied").first?.raw("n") == "0")
    }

    @Test func `a step of the schema that fails leaves nothing behind`() throws {
        let server = try PostgresServer()
        let talk = try DatabaseTalk(server.words())
        _ = try talk.ask("CREATE SCHEMA offstage")
        #expect(throws: DatabaseError.self) { try talk.migrate() }
        let roles = try talk.ask("SELECT count(*) AS n FROM pg_roles WHERE rolname LIKE 'offstage%'")
        #expect(roles.first?.raw("n") == "0")
        _ = try talk.ask("DROP SCHEMA offstage")
        try talk.migrate()
        let version = try talk.ask("SELECT max(version) AS v FROM offstage.migration")
        #expect(version.first?.raw("v") == "\(SchemaStep.all.count)")
    }

    @Test func `when the server is gone it is said which questions were not answered`() throws {
        let server = try PostgresServer()
        let talk = try DatabaseTalk(server.words())
        let asked = [talk.connection.ask("SELECT pg_sleep(100)"), talk.connection.ask("SELECT 1")]
        _ = talk.connection.proceed()
        try server.crash()
        let unanswered: [Int] = try talk.next { if case .lost(_, let unanswered) = $0 { unanswered } else { nil } }
        #expect(unanswered == asked)
        #expect(talk.connection.descriptor == -1)
        #expect(talk.connection.proceed().isEmpty)
    }

    @Test func `TLS is verified, down to the name`() throws {
        var made: TestCertificate?
        let server = try PostgresServer { folder in
            let certificate = try TestCertificate(in: folder)
            made = certificate
            return certificate
        }
        let authority = try #require(made).authority
        func talk(_ host: String, _ more: String) throws -> DatabaseTalk {
            try DatabaseTalk("postgresql://postgres@\(host):\(server.port)/postgres?\(more)")
        }
        let good = try talk("127.0.0.1", "sslrootcert=\(authority)")
        #expect(try good.ask("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()").first?.flag("ssl") == true)
        for (host, more) in [
            ("127.0.0.1", ""), ("other.example", "hostaddr=127.0.0.1&sslrootcert=\(authority)"),
        ] {
            do {
                _ = try talk(host, more)
                Issue.record("\(host) was believed")
            } catch let error as DatabaseError {
                #expect(error.kind == .connection && error.description.contains("certificate"), "\(error)")
            }
        }
    }
}
