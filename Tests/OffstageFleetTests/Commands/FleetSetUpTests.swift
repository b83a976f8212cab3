// SPDX-License-Identifier: Apache-2.0
import Glibc
import OffstageCommands
import OffstageCore
import OffstageFleet
import OffstageTestSupport
import Testing

@Suite(.enabled(if: PostgresServer.isThere, "needs PostgreSQL's server"))
struct FleetSetUpTests {
    @Test func `a fleet is set up once, with a key for its members, and set up again changes nothing`() throws {
        let fleet = try CommandFleet(isSetUp: false)
        let first = try fleet.run(["fleet", "init", "--json"]).json()
        #expect(first["schema"] == .number(Double(SchemaStep.all.count)) && first["schemaBefore"] == .number(0))
        let path = fleet.home("postgres") + "/fleet.key"
        #expect(first["keyPath"] == .string(path))
        let key = try FleetKey(path: path)
        #expect(first["fingerprint"] == .string(key.publicKey.fingerprint))
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(stat(fleet.home("postgres") + "/fleet.json", &status) == 0 && status.st_mode & 0o777 == 0o600)

        let again = fleet.run(["fleet", "init"])
        #expect(again.status == .success)
        #expect(again.lines.first == "The fleet is as it was (schema \(SchemaStep.all.count)).")
        #expect(again.output.contains(key.publicKey.fingerprint) && again.output.contains(path))
        #expect(try FleetKey(path: path).publicKey == key.publicKey)

        let elsewhere = fleet.run(["fleet", "init", "--key", fleet.folder.path("none.key")])
        #expect(elsewhere.output.contains(key.publicKey.fingerprint) && elsewhere.output.contains("key is not here"))
        #expect(!TestFiles.exists(fleet.folder.path("none.key")))
    }

    @Test func `the key of one fleet does not become another's unasked`() throws {
        let first = try CommandFleet(isSetUp: false)
        let second = try CommandFleet(isSetUp: false)
        #expect(first.run(["fleet", "init"]).status == .success)
        let path = first.home("postgres") + "/fleet.key"
        let elsewhere = ["OFFSTAGE_FLEET_DATABASE": second.server.words()]
        let refused = first.run(["fleet", "init"], environment: elsewhere)
        #expect(refused.status == .failure && refused.errors.contains("it may be another fleet's"), "\(refused)")
        let named = first.run(["fleet", "init", "--key", first.folder.path("second.key")], environment: elsewhere)
        #expect(named.status == .success, "\(named)")
        #expect(
            try FleetKey(path: path).publicKey != FleetKey(path: first.folder.path("second.key")).publicKey
        )
        #expect(first.run(["fleet", "init", "--key", path]).output.contains("The fleet is as it was"))
    }

    @Test func `an older schema is brought up to date with its rows, and a newer one is refused`() throws {
        let fleet = try CommandFleet(isSetUp: false)
        let first = SchemaStep.all.dropLast()
        for step in first { _ = try fleet.owner.answer(fleet.owner.connection.ask(step)) }
        _ = try fleet.owner.ask("SELECT offstage.pause_queue('nightly', true)")
        let upgraded = fleet.run(["fleet", "init"])
        #expect(upgraded.status == .success, "\(upgraded.errors)")
        #expect(
            upgraded.lines.first
                == "The fleet's schema is upgraded from version \(first.count) to \(SchemaStep.all.count)."
        )
        #expect(fleet.run(["fleet", "queues"]).output.contains("nightly"))
        _ = try fleet.owner.ask("INSERT INTO offstage.migration (version) VALUES (99)")
        let newer = fleet.run(["fleet", "init"])
        #expect(newer.status == .daemonUnreachable && newer.errors.contains("has version 99"))
    }

    @Test func `a step that fails leaves the schema at the step before`() throws {
        let fleet = try CommandFleet(isSetUp: false)
        for step in SchemaStep.all.prefix(2) { _ = try fleet.owner.answer(fleet.owner.connection.ask(step)) }
        _ = try fleet.owner.ask("CREATE FUNCTION offstage.rouse(integer[]) RETURNS void LANGUAGE sql AS ''")
        #expect(fleet.run(["fleet", "init"]).status == .daemonUnreachable)
        let version = try fleet.owner.ask("SELECT max(version) AS v FROM offstage.migration").first?.raw("v")
        #expect(version == "2")
        _ = try fleet.owner.ask("DROP FUNCTION offstage.rouse(integer[])")
        #expect(fleet.run(["fleet", "init"]).status == .success)
    }

    @Test func `a login is granted a role, and loses it`() throws {
        let fleet = try CommandFleet()
        #expect(fleet.run(["fleet", "list"], as: "vic").status == .success)
        #expect(fleet.run(["fleet", "grant", "viewer", "nobody"]).status == .notFound)
        let revoked = fleet.run(["fleet", "grant", "--revoke", "viewer", "vic"])
        #expect(revoked.output == "vic is no longer a viewer of the fleet.\n")
        let refused = fleet.run(["fleet", "list"], as: "vic")
        #expect(refused.status == .daemonUnreachable && refused.errors.contains("'offstage fleet grant' lets it"))
        // A user without the right to grant cannot grant, whatever function is called.
        #expect(fleet.run(["fleet", "grant", "operator", "ann"], as: "ann").status == .daemonUnreachable)
        #expect(fleet.run(["fleet", "grant", "operator", "ann"], as: "olga").status == .daemonUnreachable)
    }

    @Test func `the fleet of a user is kept, with a fingerprint that must be right`() throws {
        let fleet = try CommandFleet()
        let words = fleet.server.words("ann")
        let id = try fleet.owner.ask("SELECT id FROM offstage.fleet").first?.raw("id")
        let bare = ["OFFSTAGE_FLEET_DATABASE": ""]
        let unknown = fleet.run(["fleet", "list"], as: "ann", environment: bare)
        #expect(unknown.errors.contains("No fleet is known"))
        // The user's own variable applies to one command only.
        #expect(fleet.run(["fleet", "use"], as: "ann").status == .success)
        #expect(fleet.run(["fleet", "list"], as: "ann", environment: bare).errors.contains("No fleet is known"))
        // An operand overrides it, and is kept.
        let other = ["OFFSTAGE_FLEET_DATABASE": "postgresql:///nowhere?host=/nowhere"]
        let used = fleet.run(["fleet", "use", words, "--json"], as: "ann", environment: other)
        let fingerprint = try #require(used.json()["keyInDatabase"].string)
        #expect(fleet.run(["fleet", "list"], as: "ann", environment: bare).status == .success)
        let wrong = fleet.run(["fleet", "use", "--fingerprint", "sha256//AAAA"], as: "ann")
        #expect(wrong.status == .failure && wrong.errors.contains("ask the fleet's owner"))
        let right = fleet.run(["fleet", "use", "--fingerprint", fingerprint], as: "ann", environment: bare)
        #expect(right.status == .success && right.output.contains("Secrets are sealed to the key \(fingerprint)."))
        #expect(
            try FleetPlace.read(fleet.home("ann") + "/fleet.json")
                == .init(database: words, fleet: id, fingerprint: fingerprint)
        )
        #expect(chmod(fleet.home("ann") + "/fleet.json", 0o644) == 0)
        let open = fleet.run(["fleet", "list"], as: "ann", environment: bare)
        #expect(open.errors.contains("make it private"))
    }

    @Test(arguments: [
        ("postgresql://ann:hunter2@db.example/fleet?sslmode=require", OffstageCommands.ExitStatus.usage),
        ("postgresql://ann:hunter2@127.0.0.1:1/fleet", .daemonUnreachable),
        ("postgresql://ann:hunter2@[", .usage),
    ]) func `no password is ever told`(url: String, status: OffstageCommands.ExitStatus) throws {
        try TemporaryDirectory.with { folder in
            for words in [["fleet", "list"], ["fleet", "use"], ["fleet", "init"], ["fleet", "use", url]] {
                let output = Output(capturedColumns: 0)
                let found = CommandLineTool.run(words, output: output) { printsJSON, _ in
                    CommandContext(
                        environment: ["OFFSTAGE_HOME": folder.path, "OFFSTAGE_FLEET_DATABASE": url],
                        workingDirectory: "/",
                        output: output,
                        printsJSON: printsJSON,
                        fleet: FleetContext.carryOut
                    )
                }
                #expect(found == status, "\(output.complained)")
                #expect(!output.complained.contains("hunter2") && !output.printed.contains("hunter2"))
            }
        }
    }

    @Test func `what is said of a database has no password`() throws {
        let address = try DatabaseAddress("postgresql://ann:hunter2@db.example:5433/fleet")
        #expect(address.description == "ann@db.example:5433/fleet")
        #expect(
            try DatabaseAddress("host=/run/postgresql dbname=fleet password=hunter2").description
                == "/run/postgresql/fleet"
        )
    }
}
