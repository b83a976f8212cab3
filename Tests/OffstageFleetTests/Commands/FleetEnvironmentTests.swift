// SPDX-License-Identifier: Apache-2.0
import OffstageCore
import OffstageFleet
import OffstageTestSupport
import Testing

/// A row is carried out on another machine: it contains nothing from this machine's environment.
@Suite(.enabled(if: PostgresServer.isThere, "needs PostgreSQL's server"))
struct FleetEnvironmentTests {
    @Test func `the authorities of this machine's environment are not the member's`() throws {
        let fleet = try CommandFleet()
        let authority = try fleet.file("authority.pem")
        let path = try fleet.file("film.mov")
        let run = fleet.run(
            ["upload", "--fleet", path, "https://files.example/in/"],
            as: "ann",
            environment: ["SSL_CERT_FILE": authority]
        )
        #expect(run.status == .success, "\(run.errors)")
        let specs = try fleet.owner.ask("SELECT spec FROM offstage.item ORDER BY id").map {
            try FleetSpec(open: try #require($0.raw("spec")), secrets: nil).joined()
        }
        #expect(specs.map(\.certificateAuthorityPath) == [nil])
    }

    @Test func `files besides the one that is sent are refused at once, with what to do instead`() throws {
        let fleet = try CommandFleet()
        let path = try fleet.file("film.mov")
        for (options, words) in [
            (["--netrc-file", path], "--netrc-file cannot be used with --fleet"),
            (["--netrc"], "give user and password with --user, which are sealed"),
            (["--cert", path, "--key", path], "send the file without --fleet"),
            (["--cacert", path], "have the members' systems trust the authority"),
        ] {
            let run = fleet.run(["upload", "--fleet"] + options + [path, "https://files.example/in/"], as: "ann")
            #expect(run.status == .usage && run.errors.contains(words), "\(run)")
        }
        let count = try fleet.owner.ask("SELECT count(*) AS n FROM offstage.item").first?.raw("n")
        #expect(count == "0")
    }

    @Test func `an empty file by tus must not be sent again, as the request that creates it also completes it`() throws
    {
        let fleet = try CommandFleet()
        let used = try fleet.run(["fleet", "use", "--json"], as: "ann").json()
        let fingerprint = try #require(used["keyInDatabase"].string)
        #expect(fleet.run(["fleet", "use", "--fingerprint", fingerprint], as: "ann").status == .success)
        let empty = fleet.folder.path("empty")
        try TestFiles.write("", to: empty)
        let full = try fleet.file("full")
        let words = ["upload", "--fleet", "--protocol", "tus", empty, full, "https://files.example/files/"]
        let run = fleet.run(words, as: "ann")
        #expect(run.output == "2 rows submitted: 1, 2.\n", "\(run.errors)")
        let rows = try fleet.owner.ask("SELECT is_repeatable, spec FROM offstage.item ORDER BY id")
        #expect(rows.map { $0.flag("is_repeatable") } == [false, true])
        // tus defines the requests: none has an idempotency key.
        for row in rows { #expect(row.raw("spec")?.contains("idempotencyKey") == false) }
    }
}
