// SPDX-License-Identifier: Apache-2.0
import OffstageCommands
import OffstageCore
import OffstageFleet
import OffstageTestSupport
import Testing

@Suite(.enabled(if: PostgresServer.isThere, "needs PostgreSQL's server"))
struct FleetUploadTests {
    @Test func `a file becomes a row that says what a member needs`() throws {
        let fleet = try CommandFleet()
        let path = try fleet.file("film.mov")
        let run = fleet.run(
            [
                "upload", "--fleet", "--on", "site=seoul", "--on", "disk=fast", "--queue", "nightly", "--priority",
                "high",
                "--label", "the film", path, "https://files.example/in/",
            ],
            as: "ann",
            environment: ["https_proxy": "http://proxy.example:1"]
        )
        #expect(run.output == "1 row submitted: 1.\n", "\(run.errors)")
        let row = try fleet.owner.ask(
            "SELECT i.*, a.queue, a.host, a.requires FROM offstage.item i JOIN offstage.lane a ON a.id = i.lane"
        ).first
        #expect(row?.raw("queue") == "nightly" && row?.raw("host") == "files.example")
        #expect(row?.raw("requires") == "{disk=fast,site=seoul}" && row?.raw("priority") == "75")
        #expect(row?.raw("label") == "the film" && row?.raw("path") == path && row?.raw("bytes") == "8")
        #expect(row?.raw("submitter") == "ann" && row?.flag("is_repeatable") == true && row?.raw("sealed") == nil)
        let spec = try FleetSpec(open: try #require(row?.raw("spec")), secrets: nil).joined()
        #expect(spec.url.unredacted == "https://files.example/in/film.mov" && spec.path == path)
        #expect(spec.sources.first?.identity == (try SourceFile.identity(path)))
        // This machine's environment is not passed to the member.
        #expect(spec.proxy == ProxyEnvironment() && spec.offersResumption == true && spec.collections == 1)
    }

    @Test func `a list is submitted in batches, and a line can be JSON`() throws {
        let fleet = try CommandFleet()
        for name in ["a", "tab\\", "c \"d\""] { _ = try fleet.file(name) }
        let root = fleet.folder.path
        let lines = [
            "\(root)/a", "\(root)/tab\\\thttps://files.example/other",
            #"{"path":"\#(root)/c \"d\"","label":"x","on":["member=nas-1"],"priority":1,"queue":"q2","key":"k1"}"#,
            #"{"path":"/far/away.bin","url":"https://far.example/x","bytes":7,"modifiedNs":5}"#,
        ]
        let run = fleet.run(
            ["upload", "--fleet", "-", "https://files.example/in/"],
            as: "ann",
            input: lines.joined(separator: "\n")
        )
        #expect(run.output == "4 rows submitted: 1–4.\n", "\(run.errors)")
        let rows = try fleet.owner.ask(
            """
            SELECT i.id, i.path, i.destination, i.bytes, i.spec, a.queue, a.requires, i.priority, i.label FROM offstage.item i \
            JOIN offstage.lane a ON a.id = i.lane ORDER BY i.id
            """
        )
        #expect(rows.map { $0.raw("path") } == ["\(root)/a", "\(root)/tab\\", "\(root)/c \"d\"", "/far/away.bin"])
        #expect(rows[1].raw("destination") == "https://files.example/other")
        #expect(rows[2].raw("destination") == "https://files.example/in/c%20%22d%22")
        #expect(rows[2].raw("queue") == "q2" && rows[2].raw("requires") == "{member=nas-1}")
        #expect(rows[2].raw("priority") == "100" && rows[2].raw("label") == "x")
        let far = try FleetSpec(open: try #require(rows[3].raw("spec")), secrets: nil).joined()
        #expect(far.sources.first?.identity == FileIdentity(device: 0, inode: 0, size: 7, modified: 5))
        // Each row can be read back.
        for row in rows { _ = try FleetSpec(open: try #require(row.raw("spec")), secrets: nil).joined() }
    }

    @Test func `a list of many thousands arrives whole and in order, and sent again makes nothing twice`() throws {
        let fleet = try CommandFleet()
        let count = 45_000
        let list = (0..<count).map { #"{"path":"/mnt/\#($0)","bytes":1,"modifiedNs":1}"# }.joined(separator: "\n")
        let words = ["upload", "--fleet", "--once", "march", "--json", "-", "https://files.example/in/"]
        let first = try fleet.run(words, as: "ann", input: list).json()
        #expect(first["rows"] == .number(Double(count)) && first["known"] == .number(0))
        let order = try fleet.owner.ask(
            "SELECT count(*) AS n, count(*) FILTER (WHERE path = '/mnt/' || (id - 1)) AS fit FROM offstage.item"
        ).first
        #expect(order?.raw("n") == "\(count)" && order?.raw("fit") == "\(count)")
        let again = try fleet.run(
            words,
            as: "ann",
            input: list + "\n" + #"{"path":"/mnt/new","bytes":1,"modifiedNs":1}"#
        )
        .json()
        #expect(again["rows"] == .number(1) && again["known"] == .number(Double(count)))
        // Another name, or another submitter, makes another submission.
        let other = try fleet.run(
            ["upload", "--fleet", "--json", "-", "https://files.example/in/"],
            as: "ann",
            input: #"{"path":"/mnt/1","bytes":1,"modifiedNs":1}"#
        ).json()
        #expect(other["rows"] == .number(1))
        let bob = try fleet.run(words, as: "bob", input: #"{"path":"/mnt/1","bytes":1,"modifiedNs":1}"#).json()
        #expect(bob["rows"] == .number(1) && bob["known"] == .number(0))
    }

    @Test func `one key is one row, in a batch and over batches, and its number is told again`() throws {
        let fleet = try CommandFleet()
        let line = #"{"path":"/mnt/a","bytes":1,"modifiedNs":1,"key":"a"}"#
        let words = ["upload", "--fleet", "--json", "-", "https://files.example/in/"]
        let first = try fleet.run(words, as: "ann", input: "\(line)\n\(line)").json()
        #expect(first["rows"] == .number(1) && first["known"] == .number(1) && first["ids"] == .array([.number(1)]))
        let again = fleet.run(words, as: "ann", input: line)
        #expect(try again.json()["rows"] == .number(0))
        #expect(try again.json()["ids"] == .array([.number(1)]), "\(again.output)")
    }

    @Test func `secrets are sealed to the key that this user was told of, and nobody reads them`() throws {
        let fleet = try CommandFleet()
        let path = try fleet.file("a.bin")
        let words = [
            "upload", "--fleet", "-H", "Authorization: Bearer hunter2", path, "https://files.example/in/a?sig=hunter3",
        ]
        let untold = fleet.run(words, as: "ann")
        #expect(untold.status == .failure && untold.errors.contains("--fingerprint"))
        let fingerprint = try #require(fleet.run(["fleet", "use", "--json"], as: "ann").json()["keyInDatabase"].string)
        #expect(fleet.run(["fleet", "use", "--fingerprint", fingerprint], as: "ann").status == .success)
        let run = fleet.run(words, as: "ann")
        #expect(run.status == .success, "\(run.errors)")

        let row = try #require(
            try fleet.owner.ask("SELECT i.*, f.id AS fleet FROM offstage.item i, offstage.fleet f").first
        )
        let text = ["spec", "path", "destination", "label"].compactMap { row.raw($0) }.joined()
        #expect(!text.contains("hunter"))
        let opener = FleetOpener(
            try FleetKey(path: fleet.home("postgres") + "/fleet.key"),
            fleet: try #require(row.raw("fleet"))
        )
        let open = try #require(row.raw("spec"))
        let sealed = try #require(row.bytes("sealed", most: 1 << 20))
        let secrets = try opener.open(sealed, SealSubject(.secrets, of: open))
        let spec = try FleetSpec(open: open, secrets: secrets).joined()
        #expect(spec.headers["Authorization"] == "Bearer hunter2")
        #expect(spec.url.unredacted == "https://files.example/in/a?sig=hunter3")

        for login in ["vic", "ann", "olga"] {
            for command in [["list"], ["show", "1"], ["why"], ["list", "--json"], ["show", "--json", "1"]] {
                let shown = fleet.run(["fleet"] + command, as: login)
                #expect(shown.status == .success && !shown.output.contains("hunter"), "\(login): \(shown.errors)")
            }
            let talk = try DatabaseTalk(fleet.server.words(login))
            for question: StaticString in ["SELECT sealed FROM offstage.item", "SELECT sealed FROM offstage.intake"] {
                #expect(throws: DatabaseError.self) { try talk.ask(question) }
            }
        }

        // The key in the database was replaced.
        _ = try fleet.owner.ask("UPDATE offstage.fleet SET public_key = decode(repeat('07', 32), 'hex')")
        let exchanged = fleet.run(words, as: "ann")
        #expect(exchanged.status == .failure && exchanged.errors.contains("is not the fleet's"))
    }

    @Test func `a batch whose answer was lost is sent again, and taken in once`() throws {
        let fleet = try CommandFleet()
        var connections = 0
        let submission = try FleetSubmission {
            connections += 1
            return try DatabaseClient(DatabaseAddress(fleet.server.words("ann")))
        }
        let spec = try TransferSpec(
            direction: .upload(.init(path: "/mnt/a", identity: .init(device: 0, inode: 0, size: 1, modified: 1))),
            url: RequestURL("https://files.example/a"),
            owner: "command"
        )
        func add(_ count: Int) throws {
            for _ in 0..<count { try submission.add(SubmittedRow(spec, try FleetSpec(spec))) }
        }
        try add(FleetSubmission.mostRows + 1)
        // While the first batch is in progress, or just finished.
        _ = try fleet.owner.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'ann'")
        try add(10)
        try submission.finish()
        let count = try fleet.owner.ask("SELECT count(*) AS n FROM offstage.item").first?.raw("n")
        #expect(count == "\(FleetSubmission.mostRows + 11)")
        #expect(submission.result.rows == Int64(FleetSubmission.mostRows + 11))
        #expect(connections == 2)
    }

    @Test func `the line of a long list that is no text is named`() throws {
        let fleet = try CommandFleet()
        let line = #"{"path":"/a","bytes":1,"modifiedNs":1}"# + "\n"
        var input = Array(String(repeating: line, count: 5009).utf8)
        input += [0xFF, 0x0A]
        let output = Output(capturedColumns: 0)
        let lines = input
        let status = CommandLineTool.run(
            ["upload", "--fleet", "--dry-run", "--protocol", "tus", "-", "https://files.example/"],
            output: output
        ) { printsJSON, _ in
            CommandContext(
                environment: ["OFFSTAGE_HOME": fleet.home("ann")],
                workingDirectory: "/",
                output: output,
                printsJSON: printsJSON,
                readInput: { lines },
                fleet: FleetContext.carryOut
            )
        }
        #expect(status != .success && output.complained.contains("line 5010 of standard input"), "\(output.complained)")
    }

    @Test func `a batch that is under way is counted before secrets find no key`() throws {
        let fleet = try CommandFleet()
        let line = { (number: Int, more: String) in
            #"{"path":"/a\#(number)","url":"https://files.example/\#(number)","bytes":1,"modifiedNs":1\#(more)}"# + "\n"
        }
        let open = (1...FleetSubmission.mostRows).map { line($0, "") }.joined()
        let run = fleet.run(
            ["upload", "--fleet", "-"],
            as: "ann",
            input: open + line(0, #","headers":{"Authorization":"Bearer x"}"#)
        )
        #expect(run.status == .failure && run.errors.contains("is not known here"), "\(run.errors)")
        #expect(run.errors.contains("\(FleetSubmission.mostRows) rows were submitted before this"), "\(run.errors)")
        let count = try fleet.owner.ask("SELECT count(*) AS n FROM offstage.item").first?.raw("n")
        #expect(count == "\(FleetSubmission.mostRows)")
    }

    @Test func `what no member could do is refused, and nothing is submitted`() throws {
        let fleet = try CommandFleet()
        let path = try fleet.file("F")
        let cases: [(words: [String], input: String, part: String)] = [
            (["--fleet", "-F", "a=b", "https://files.example/"], "", "-F cannot be used with --fleet"),
            (["--fleet", "--after", "3", "F", "https://files.example/"], "", "--after cannot be used"),
            (["--on", "site=seoul", "F", "https://files.example/"], "", "--on is for an upload with --fleet"),
            (["--fleet", "--on", "seoul", "F", "https://files.example/"], "", "'seoul' is not a label"),
            (["--fleet", "--queue", "a b", "F", "https://files.example/"], "", "cannot be the name of a queue"),
            (
                ["--fleet", "-", "https://files.example/"], #"{"path":"/a","lable":"x"}"#,
                "line 1 of standard input: there is no key 'lable'"
            ),
            (
                ["--fleet", "-", "https://files.example/"], "\n{\"path\":1}",
                "line 2 of standard input is no JSON object"
            ),
            (["--fleet", "-", "https://files.example/"], #"{"path":"/a","bytes":1}"#, "belong together"),
            (["--fleet", "-"], "/a", "names no URL"),
            (
                ["--fleet", "-", "https://files.example/"], #"{"path":"/a","bytes":1,"modifiedNs":1,"key":"x\u0000"}"#,
                "line 1 of standard input: a text has a NUL character"
            ),
            (
                ["--fleet", "-", "https://files.example/"],
                "\n" + #"{"path":"/a","bytes":1,"modifiedNs":1,"headers":{"a\nb":"c"}}"#, "line 2 of standard input: "
            ),
            (
                ["--fleet", "--label", String(repeating: "l", count: 1001), "F", "https://files.example/"], "",
                "at most 1000 bytes"
            ),
            (
                ["--fleet", "-", "https://files.example/x"], "/etc/hosts\n/etc/passwd",
                "several files cannot be sent to one URL"
            ),
        ]
        for (words, input, part) in cases {
            let run = fleet.run(["upload"] + words.map { $0 == "F" ? path : $0 }, as: "ann", input: input)
            #expect(run.status == .usage || run.status == .failure, "\(run)")
            #expect(run.errors.contains(part), "\(run.errors)")
        }
        let count = try fleet.owner.ask("SELECT count(*) AS n FROM offstage.item").first?.raw("n")
        #expect(count == "0")
    }

    @Test func `a rehearsal asks no database`() throws {
        try TemporaryDirectory.with { folder in
            try TestFiles.write("x", to: folder.path("a"))
            let output = Output(capturedColumns: 0)
            let words = ["upload", "--fleet", "--dry-run", folder.path("a"), "https://files.example/in/"]
            let status = CommandLineTool.run(words, output: output) { printsJSON, _ in
                CommandContext(
                    environment: ["OFFSTAGE_HOME": folder.path("home")],
                    workingDirectory: "/",
                    output: output,
                    printsJSON: printsJSON,
                    fleet: FleetContext.carryOut
                )
            }
            #expect(status == .success && output.printed.contains("Would send"), "\(output.complained)")
        }
    }
}
